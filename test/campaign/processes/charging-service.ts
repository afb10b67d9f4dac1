import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { answerOf } from '../../support/paged-answer.ts'
import { kindOf, markdownOf } from '../world/archive.ts'
import { type Charge, type FromService, priceOf, type ServiceRun, type ToService } from '../service/charges.ts'
import { KeptUnits } from '../checker/kept-units.ts'
import { boughtText, marksIn } from '../world/paged-documents.ts'
import type { Burst } from '../plan.ts'
import { openStoreFiles, type StoreFiles } from '../checker/store-files.ts'
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
  readonly charges: Unread[]
  /** How often each content came. */
  readonly times: Map<string, number>
  readonly files: StoreFiles
  readonly keptUnits: KeptUnits
  heal: boolean
  /** Pending while answers are held back. */
  open: PromiseWithResolvers<void> | null
}

type Unread = Omit<Charge, 'reached'> & { readonly number: number }

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
    const begun = { charges: [], times: new Map(), files, keptUnits, heal: false, open: null }
    runs.set(message.run.id, { ...message.run, ...begun })
    return
  }
  const run = runs.get(message.id)
  if (run === undefined) return
  if (message.say === 'heal') run.heal = true
  if (message.say === 'hold') run.open = Promise.withResolvers()
  if (message.say === 'release') run.open?.resolve()
  if (message.say === 'read' || message.say === 'end') {
    const charges = run.charges.map(({ number, ...charge }) => ({ ...charge, reached: service.answered.has(number) }))
    send({ say: 'charges', id: run.id, charges })
  }
  if (message.say === 'end') runs.delete(run.id)
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
  const kept = await (run.paged ? areKept(run.keptUnits, units) : isKept(run.files, content))
  // A content's n-th request meets the same fault, whatever else arrives in between.
  const random = new Random(run.seed ^ Number.parseInt(content.slice(0, 7), 16) ^ (times * 7919))
  const credits = pages.length > 0 ? pages.length : priceNow(run, content)
  const { reply, charged, fault } = replyTo({ run, bytes, times, random, credits })
  const delayMs = random.below(run.delayMs) + (kindOf(bytes) === 'slow' ? SLOW_MS : 0)
  const [kind, status] = [kindOf(bytes), reply.status ?? 200]
  const pipeline = /pipeline (\d+)/.exec(bytes.toString('latin1', 0, 200))?.[1] ?? ''
  const sender = Number(request.headers['x-process'])
  const { number } = request
  const known = { kind, status, pipeline, units, credits, charged, fault, kept }
  run.charges.push({ ...known, number, at, answeredAt: Date.now() + delayMs, process: sender })
  send({ say: 'request', id: run.id })
  await run.open?.promise
  return { ...reply, delayMs }
}

const SLOW_MS = 400

function priceNow({ prices, charges }: Run, content: string): number {
  if (prices === null) return priceOf(content)
  const number = charges.filter(({ charged }) => charged).length
  return Math.max(prices.price, ...prices.rises.filter(({ after }) => number >= after).map(({ price }) => price))
}

interface Outcome {
  readonly reply: Reply
  readonly charged: boolean
  readonly fault: string | null
}

interface Asked {
  readonly run: Run
  readonly bytes: Buffer
  /** That this content came, this time included. */
  readonly times: number
  readonly random: Random
  readonly credits: number
}

function replyTo(asked: Asked): Outcome {
  const { run, random } = asked
  const burst = run.heal ? undefined : run.bursts.find((one) => isWithin(one, run.charges.length))
  if (burst !== undefined) return burstReply(burst, asked)
  if (isOutOfCredits(run)) return free(errorReply(402, 'Payment Required: insufficient credits'))
  const refusal = refusalOf(asked)
  if (refusal !== null) return refusal
  const whole = wholeAnswer(asked)
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

const PORTAL = { headers: { 'content-type': 'text/html' }, body: '<html><h1>Log in to the network</h1></html>' }

function burstReply({ reply }: Burst, { run, random }: Asked): Outcome {
  if (reply === 'portal') return free({ ...PORTAL, status: [407, 511, 200][run.seed % 3] ?? 511 })
  if (reply !== 'unusable') return free(errorReply(reply, 'Not now'), reply)
  const body = `{"success": true, "data": [${random.next()}`
  return { reply: { body }, charged: true, fault: 'unusable' }
}

function isOutOfCredits({ prices, charges, heal }: Run): boolean {
  const after = prices?.emptyAfter ?? null
  return !heal && after !== null && charges.filter(({ charged }) => charged).length >= after
}

/** What the document itself calls for; null for one that is parsed. */
function refusalOf({ bytes, times }: Asked): Outcome | null {
  switch (kindOf(bytes)) {
    case 'rejected':
      return free(errorReply(422, 'The document is damaged'))
    case 'poison':
      return free(errorReply(500, 'Internal error'))
    case 'refused':
      return times > 1 ? null : free(errorReply(429, 'Rate limit exceeded.'), 429)
    case 'unavailable':
      return times > 1 ? null : free(errorReply(500, 'An unexpected error occurred.', { code: 'UNKNOWN_ERROR' }))
    case 'held':
      return free({ fault: 'hang' })
    case 'good':
    case 'hard':
    case 'partial':
    case 'slow':
  }
  return marksIn(bytes).some(({ isBroken }) => isBroken) ? free(errorReply(422, 'A page is damaged')) : null
}

function wholeAnswer({ bytes, credits }: Asked): Reply {
  const marks = marksIn(bytes)
  if (marks.length > 0) return answerOf(marks.map(boughtText), null)
  const metadata = { statusCode: 200, creditsUsed: credits }
  const warning = kindOf(bytes) === 'partial' ? { warning: 'a part is missing' } : {}
  return parsedReply(markdownOf(bytes), { metadata, ...warning })
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
