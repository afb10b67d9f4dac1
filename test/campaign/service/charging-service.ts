import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { answerOf } from '../../support/paged-answer.ts'
import { Random } from '../../support/random.ts'
import {
  errorReply,
  parsedReply,
  type ReceivedRequest,
  type Reply,
  ScriptedService,
} from '../../support/scripted-service.ts'
import { KeptUnits } from '../checker/kept-units.ts'
import { openStoreFiles, type StoreFiles } from '../checker/store-files.ts'
import type { Burst } from '../plan.ts'
import { kindOf, markdownOf } from '../world/archive.ts'
import { boughtText, marksIn } from '../world/paged-documents.ts'
import { type Charge, priceOf, type ServiceRun } from './charges.ts'

/** The ways in which a service is away: nothing listens, it takes requests and answers none, or it answers each with an error or 429. */
export const AWAY = ['refuses', 'is silent', 'answers 5xx', 'answers 429'] as const
export type Away = (typeof AWAY)[number]

interface Outage {
  readonly how: Away
  readonly over: PromiseWithResolvers<void>
}

/** Longer than any process keeps a connection that it does not use: one that is closed as idle would lose a counted request. */
const IDLE_MS = 600_000

const AWAY_STATUSES = [500, 502, 503, 504]
const AWAY_TEXT = 'the disk of the parser is full'

/** The service of one run: it charges, remembers what it charged, and fails as the run's seed says. */
export class ChargingService implements AsyncDisposable {
  readonly #run: ServiceRun
  readonly #scripted = new ScriptedService({ answers: (request) => this.#answer(request) })
  readonly #charges: (Omit<Charge, 'reached'> & { readonly number: number })[] = []
  /** How often each content came. */
  readonly #times = new Map<string, number>()
  readonly #sent = new Map<number, number>()
  readonly #files: StoreFiles
  readonly #keptUnits: KeptUnits
  #isHealed = false
  /** Pending while answers are held back. */
  #held: Promise<void> | null = null
  #away: Outage | null = null
  #answeredAway = 0
  #url = ''

  private constructor(run: ServiceRun) {
    this.#run = run
    this.#files = openStoreFiles(run.store)
    this.#keptUnits = new KeptUnits(this.#files)
    this.#scripted.server.keepAliveTimeout = IDLE_MS
  }

  static async open(run: ServiceRun): Promise<ChargingService> {
    const service = new ChargingService(run)
    await service.#scripted.listen()
    service.#url = service.#scripted.url
    return service
  }

  get url(): string {
    return this.#url
  }

  /** Requests that came while the service was not away. */
  get requests(): number {
    return this.#charges.length
  }

  /** Every request that came while the service was not away, and how it was answered. */
  get charges(): readonly Charge[] {
    const { answered } = this.#scripted
    return this.#charges.map(({ number, ...charge }) => ({ ...charge, reached: answered.has(number) }))
  }

  /** Requests that a process has sent, also while the service was away. */
  sentBy(process: number): number {
    return this.#sent.get(process) ?? 0
  }

  /** From now on every request is answered well. */
  heal(): void {
    this.#isHealed = true
  }

  /** Until the function that it returns is called, no request is answered. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    return resolve
  }

  /** While the service is away no request is charged; the requests that it has taken before are answered. */
  cut(how: Away): void {
    this.#away = { how, over: Promise.withResolvers() }
    if (how !== 'refuses') return
    const { server } = this.#scripted
    server.close()
    server.closeIdleConnections()
  }

  async mend(): Promise<void> {
    const away = this.#away
    this.#away = null
    away?.over.resolve()
    if (away?.how !== 'refuses') return
    const { server } = this.#scripted
    server.listen(Number(new URL(this.#url).port), '127.0.0.1')
    await once(server, 'listening')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scripted[Symbol.asyncDispose]()
  }

  async #answer(request: ReceivedRequest): Promise<Reply> {
    const sender = Number(request.headers['x-process'])
    this.#sent.set(sender, this.sentBy(sender) + 1)
    if (this.#away !== null) return this.#awayReply(this.#away)
    const at = Date.now()
    const bytes = request.file?.content
    if (!bytes) return errorReply(400, 'no document')
    const content = createHash('sha256').update(bytes).digest('hex')
    const times = (this.#times.get(content) ?? 0) + 1
    this.#times.set(content, times)
    const pages = marksIn(bytes).map(({ name }) => name)
    const units = pages.length > 0 ? pages : [content]
    const kept = await (this.#run.paged ? areKept(this.#keptUnits, units) : isKept(this.#files, content))
    // A content's n-th request meets the same fault, whatever else arrives in between.
    const random = new Random(this.#run.seed ^ Number.parseInt(content.slice(0, 7), 16) ^ (times * 7919))
    const charged = this.#charges.filter((one) => one.charged).length
    const credits = pages.length > 0 ? pages.length : priceNow(this.#run, charged, content)
    const isHealed = this.#isHealed
    const asked = { run: this.#run, isHealed, number: this.#charges.length, charged, bytes, times, random, credits }
    const { reply, ...outcome } = replyTo(asked)
    const kind = kindOf(bytes)
    const delayMs = random.below(this.#run.delayMs) + (kind === 'slow' ? SLOW_MS : 0)
    const pipeline = /pipeline (\d+)/.exec(bytes.toString('latin1', 0, 200))?.[1] ?? ''
    const known = { kind, status: reply.status ?? 200, pipeline, units, credits, kept, ...outcome }
    this.#charges.push({ ...known, number: request.number, at, answeredAt: Date.now() + delayMs, process: sender })
    await this.#held
    return { ...reply, delayMs }
  }

  async #awayReply({ how, over }: Outage): Promise<Reply> {
    if (how === 'answers 429') return { ...errorReply(429, ''), headers: { 'retry-after': '1' } }
    if (how === 'answers 5xx') {
      const status = AWAY_STATUSES[this.#answeredAway++ % AWAY_STATUSES.length] ?? 500
      // As gateways and services do it.
      if (status === 500) return errorReply(500, AWAY_TEXT)
      return { status, headers: { 'content-type': 'text/html' }, body: `<html><h1>${AWAY_TEXT}</h1></html>` }
    }
    if (how === 'is silent') await over.promise
    return { status: 500, fault: 'reset_after' }
  }
}

const SLOW_MS = 400

/** `charged`: how many requests were charged before. */
function priceNow({ prices }: ServiceRun, charged: number, content: string): number {
  if (prices === null) return priceOf(content)
  return Math.max(prices.price, ...prices.rises.filter(({ after }) => charged >= after).map(({ price }) => price))
}

interface Outcome {
  readonly reply: Reply
  readonly charged: boolean
  readonly fault: string | null
}

interface Asked {
  readonly run: ServiceRun
  readonly isHealed: boolean
  /** Requests that came before, and of these the charged ones. */
  readonly number: number
  readonly charged: number
  readonly bytes: Buffer
  /** That this content came, this time included. */
  readonly times: number
  readonly random: Random
  readonly credits: number
}

function replyTo(asked: Asked): Outcome {
  const { run, isHealed, number, random } = asked
  const burst = isHealed ? undefined : run.bursts.find((one) => isWithin(one, number))
  if (burst !== undefined) return burstReply(burst, asked)
  if (isOutOfCredits(asked)) return free(errorReply(402, 'Payment Required: insufficient credits'))
  const refusal = refusalOf(asked)
  if (refusal !== null) return refusal
  const whole = wholeAnswer(asked)
  if (isHealed || random.next() >= run.faultRate) return { reply: whole, charged: true, fault: null }
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

function isOutOfCredits({ run: { prices }, isHealed, charged }: Asked): boolean {
  const after = prices?.emptyAfter ?? null
  return !isHealed && after !== null && charged >= after
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
