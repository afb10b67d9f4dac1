import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { answerOf } from '../../support/paged-answer.ts'
import { kindOf, markdownOf } from '../archive.ts'
import { type Charge, type FromService, priceOf, type ServiceRun, type ToService } from '../charges.ts'
import { KeptUnits } from '../kept-units.ts'
import { boughtText, marksIn } from '../paged-documents.ts'
import type { Burst } from '../plan.ts'
import { openStoreFiles, type StoreFiles } from '../store-files.ts'
import { Random } from '../../support/random.ts'
import {
  errorReply,
  parsedReply,
  type ReceivedRequest,
  type Reply,
  ScriptedService,
} from '../../support/scripted-service.ts'

/*
 * The service of the campaign, in a process of its own: it charges, remembers what it charged, and fails as its seed
 * says. Each run is distinguished from the others by its API key.
 */

interface Run extends ServiceRun {
  readonly charges: Charge[]
  readonly times: Map<string, number>
  readonly files: StoreFiles
  readonly keptUnits: KeptUnits
  heal: boolean
}

const runs = new Map<string, Run>()
const send = (message: FromService): void => void process.send?.(message)

const service = await new ScriptedService({ answers: answer }).listen()
process.on('message', hear)
process.on('disconnect', () => process.exit(0))
send({ say: 'listening', url: service.url })

function hear(message: ToService): void {
  if (message.say === 'begin') {
    const files = openStoreFiles(message.run.store)
    const keptUnits = new KeptUnits(files)
    runs.set(message.run.id, { ...message.run, charges: [], times: new Map(), files, keptUnits, heal: false })
  }
  const run = message.say === 'begin' ? undefined : runs.get(message.id)
  if (run === undefined) return
  if (message.say === 'heal') run.heal = true
  if (message.say === 'end') {
    send({ say: 'charges', id: run.id, charges: run.charges })
    runs.delete(run.id)
  }
}

async function answer(request: ReceivedRequest): Promise<Reply> {
  const at = Date.now()
  const run = runs.get((request.headers.authorization ?? '').replace(/^Bearer /, ''))
  const bytes = request.file?.content
  if (run === undefined || !bytes) return errorReply(401, 'no such run')
  const content = createHash('sha256').update(bytes).digest('hex')
  const times = (run.times.get(content) ?? 0) + 1
  run.times.set(content, times)
  const pages = marksIn(bytes).map(({ name }) => name)
  const units = pages.length > 0 ? pages : [content]
  const credits = pages.length > 0 ? pages.length : priceOf(content)
  const kept = await (run.paged ? areKept(run.keptUnits, units) : isKept(run.files, content))
  // A content's n-th request meets the same fault, whatever else arrives in between.
  const random = new Random(run.seed ^ Number.parseInt(content.slice(0, 7), 16) ^ (times * 7919))
  const { reply, charged, fault } = replyTo(run, bytes, random, credits)
  const delayMs = random.below(run.delayMs)
  const sender = Number(request.headers['x-process'])
  run.charges.push({ at, answeredAt: Date.now() + delayMs, process: sender, units, credits, charged, fault, kept })
  send({ say: 'request', id: run.id })
  return { ...reply, delayMs }
}

interface Outcome {
  readonly reply: Reply
  readonly charged: boolean
  readonly fault: string | null
}

function replyTo(run: Run, bytes: Buffer, random: Random, creditsUsed: number): Outcome {
  const burst = run.heal ? undefined : run.bursts.find((one) => isWithin(one, run.charges.length))
  if (burst !== undefined) return free(errorReply(burst.status, 'Not now'), burst.status)
  const kind = kindOf(bytes)
  if (kind === 'rejected') return free(errorReply(422, 'The document is damaged'))
  if (kind === 'poison') return free(errorReply(500, 'Internal error'))
  const marks = marksIn(bytes)
  if (marks.some(({ isBroken }) => isBroken)) return free(errorReply(422, 'A page is damaged'))
  const whole =
    marks.length > 0
      ? answerOf(marks.map(boughtText), null)
      : parsedReply(markdownOf(bytes), { metadata: { statusCode: 200, creditsUsed } })
  if (run.heal || random.next() >= run.faultRate) return { reply: whole, charged: true, fault: null }
  const text = JSON.stringify(whole.body)
  return random.pick<() => Outcome>([
    () => ({ reply: { ...whole, fault: 'reset_after' }, charged: true, fault: 'reset after' }),
    () => ({ reply: { ...whole, fault: 'reset_middle' }, charged: true, fault: 'reset in the middle' }),
    () => ({ reply: { body: text.slice(0, text.length >> 1) }, charged: true, fault: 'cut off' }),
    () => free(errorReply(503, 'Service unavailable')),
    () => free({ fault: 'reset_after', status: 500 }),
  ])()
}

const free = (reply: Reply, status?: number): Outcome => ({
  reply: status === 429 ? { ...reply, headers: { 'retry-after': '1' } } : reply,
  charged: false,
  fault: null,
})

const isWithin = ({ from, requests }: Burst, number: number): boolean => number >= from && number < from + requests

async function areKept(keptUnits: KeptUnits, units: readonly string[]): Promise<boolean> {
  const kept = await keptUnits.ofPages()
  return units.some((unit) => kept.has(unit))
}

async function isKept(files: StoreFiles, content: string): Promise<boolean> {
  const names = await files.list(`receipts/${content.slice(0, 2)}`)
  const name = names.find((one) => basename(one).startsWith(content))
  const bytes = name === undefined ? null : await files.read(name)
  if (bytes === null) return false
  try {
    gunzipSync(bytes)
    return true
  } catch {
    return false
  }
}
