import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LiveStatus } from '#src/view/live.ts'
import { freePort } from '../support/free-port.ts'
import { Random } from '../support/random.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { errorReply, parsedReply, type Reply } from '../support/scripted-service.ts'
import { seedFrom } from '../support/seed.ts'
import { sluice } from '../support/sluice.ts'
import { elapse } from '../support/wait.ts'
import { openView } from '../view/browser/support/viewed.ts'
import { Harness } from './support/harness.ts'

/*
 * What progress, status, the API of the pages, metrics and --json say of a service, beside what it did itself.
 * BEHAVIOUR_SEED=N and BEHAVIOUR_DRAWS=N draw others.
 */

const SEED = seedFrom('BEHAVIOUR_SEED', 'fresh')
const DRAWS = Number(process.env['BEHAVIOUR_DRAWS'] ?? 12)

const PRICE = 2
const SAMPLE_MS = 300
/** What a clock, a rounded header and a busy machine may add to a stated time. */
const CLOCK_MS = 3_000

const ENDS = ['well', 'credits', 'budget'] as const
const FAULTS = ['none', 'asked', 'unasked', 'outage'] as const

/** What the service did, as it counts it itself. */
class Ledger {
  answers = { parsed: 0, refused: 0, unpaid: 0, down: 0 }
  /** Epoch milliseconds of the latest moment that it asked to wait for. */
  askedUntil = 0

  readonly reply: (request: { readonly number: number }) => Reply

  constructor(random: Random, end: (typeof ENDS)[number], fault: (typeof FAULTS)[number], documents: number) {
    const last = 1 + random.below(documents - 1)
    const from = 1 + random.below(documents)
    const faults = fault === 'none' ? 0 : 1 + random.below(3)
    this.reply = ({ number: all }) => {
      // The first one makes the store, before anything is said.
      const number = all - 1
      if (number === 0) return {}
      if (number >= from && number < from + faults)
        return this.#fault(fault, fault === 'asked' ? 1 + random.below(14) : 0)
      if (end === 'credits' && this.answers.parsed >= last) {
        this.answers.unpaid += 1
        return errorReply(402, 'Insufficient credits.')
      }
      this.answers.parsed += 1
      return { ...parsedReply('# Parsed', { metadata: { statusCode: 200, creditsUsed: PRICE } }), delayMs: 300 }
    }
  }

  #fault(fault: (typeof FAULTS)[number], seconds: number): Reply {
    if (fault === 'outage') {
      this.answers.down += 1
      return errorReply(503, 'Service temporarily unavailable.')
    }
    this.answers.refused += 1
    if (fault === 'unasked') return errorReply(429, 'Rate limit exceeded.')
    this.askedUntil = Math.max(this.askedUntil, Date.now() + seconds * 1_000)
    return { ...errorReply(429, 'Rate limit exceeded.'), headers: { 'retry-after': String(seconds) } }
  }
}

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
}, 60_000)
afterAll(() => redis[Symbol.asyncDispose]())

let samples = 0
const drawn = new Map<string, number>()
afterAll(() =>
  process.stderr.write(
    `draws of a service, ${samples} samples: ${[...drawn].map((one) => one.join(' ')).join(', ')}\n`,
  ),
)

const sumOf = (text: string, name: string): number =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  )

/** One sentence for each statement of a sample that the service's own count contradicts. */
function lies(live: LiveStatus | null, metrics: string | null, ledger: Ledger, cap: number | null): string[] {
  const { parsed, refused, unpaid, down } = ledger.answers
  const most = (what: string, value: number, truth: number): string[] =>
    value <= truth ? [] : [`${what}: ${value} said, ${truth} true`]
  return [
    ...(metrics === null
      ? []
      : [
          ...most('metrics: throttled', sumOf(metrics, 'sluice_throttled_total'), refused),
          ...most('metrics: credits', sumOf(metrics, 'sluice_credits_total'), parsed * PRICE),
          ...most('metrics: halts', sumOf(metrics, 'sluice_halts_total'), unpaid > 0 || cap !== null ? 1 : 0),
          ...most('metrics: halted', sumOf(metrics, 'sluice_halted'), unpaid > 0 || cap !== null ? 1 : 0),
          ...most('metrics: limit', sumOf(metrics, 'sluice_gate_credits_limit'), cap ?? 0),
        ]),
    ...(live === null
      ? []
      : [
          ...most('view: done', live.counts.done, parsed + 1),
          ...most(
            'view: refused',
            Object.values(live.limiter?.refused ?? {}).reduce((sum, one) => sum + one, 0),
            refused,
          ),
          ...(live.limiter?.shut?.cause === 'credits' ? most('view: shut for credits', 1, unpaid) : []),
          ...(live.limiter?.shut?.cause === 'outage' ? most('view: shut for an outage', 1, down) : []),
          ...(live.limiter?.line.includes('asks to wait') === true
            ? most('view: waits until', live.limiter.waitsUntil ?? 0, ledger.askedUntil + CLOCK_MS)
            : []),
        ]),
  ]
}

/** The same of what a run says on standard error. */
function liesInProgress(text: string, { answers: { parsed, refused, unpaid, down }, askedUntil }: Ledger): string[] {
  const number = (pattern: RegExp): number =>
    Math.max(0, ...[...text.matchAll(pattern)].map(([, value]) => Number(value)))
  const groundless = (words: string, truth: number): string[] =>
    text.includes(words) && truth === 0 ? [`progress: "${words}" is said without a reason`] : []
  return [
    ...(number(/(\d+) throttled/g) > refused ? [`progress: more throttled than ${refused}: ${text}`] : []),
    ...(number(/(\d+) of \d+ documents/g) > parsed + 1 ? [`progress: more documents than ${parsed}: ${text}`] : []),
    ...groundless('no credits left', unpaid),
    ...groundless('the service is down', down),
    ...groundless('asks to wait', askedUntil),
  ]
}

const json = async <T>(address: string): Promise<T | null> =>
  fetch(address).then(
    async (answer) => (answer.ok ? ((await answer.json()) as T) : null),
    () => null,
  )

test.each(Array.from({ length: DRAWS }, (_, at) => SEED + at))(
  'reports about a service match its behaviour, seed %i',
  async (seed) => {
    const random = new Random(seed)
    const documents = 6 + random.below(10)
    const [end, fault] = [random.pick(ENDS), random.pick(FAULTS)]
    drawn.set(`${end}/${fault}`, (drawn.get(`${end}/${fault}`) ?? 0) + 1)
    const cap = end === 'budget' ? PRICE * (1 + random.below(documents - 1)) : null
    const ledger = new Ledger(random, end, fault, documents)
    await using harness = await Harness.open({ documents: 1, reply: ledger.reply })
    const asked = [harness.source, '--out', harness.out, '--redis-url', redis.url]
    const at = { 'redis-url': redis.url, 'parse-api-key': `key-${seed}` }
    expect((await harness.run(at)).code).toBe(0)
    for (let number = 1; number <= documents; number += 1) await harness.write(`${number}.html`, `<p>${number} ${seed}`)
    await using view = await openView(asked)
    const port = await freePort()
    const running = harness.start('run', {
      ...at,
      'metrics-port': port,
      'max-credits': cap,
    })
    const found: string[] = []
    running.child.stderr?.on('data', (text: string) => found.push(...liesInProgress(text, ledger)))
    const live = async (): Promise<LiveStatus | null> => json(`${view.url}api/live`)
    const ended = new AbortController()
    void running.finished.then(() => ended.abort())
    while (!ended.signal.aborted) {
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then(
        async (answer) => answer.text(),
        () => null,
      )
      found.push(...lies(await live(), metrics, ledger, cap))
      samples += 1
      await elapse(SAMPLE_MS, 'samples are so far apart')
    }
    const ran = await running.finished
    const { parsed, refused, unpaid } = ledger.answers
    expect([...new Set(found)], ran.stdout).toEqual([])

    const cause = unpaid > 0 ? 'credits' : cap !== null && parsed < documents ? 'budget' : null
    const state = cause === null ? 'complete' : 'halted'
    expect(ran.code, ran.stdout + ran.stderr).toBe(cause === null ? 0 : 3)
    const status = JSON.parse((await sluice(['status', ...asked, '--json'])).stdout) as Record<string, unknown>
    const pages = await live()
    expect(pages?.lastRun).toEqual(status['lastRun'])
    expect(status).toMatchObject({
      lastRun: { state, cause, service: harness.service.url },
      done: parsed + 1,
      pending: documents - parsed,
      workers: 0,
    })
    expect(status['gate']).not.toMatch(/probe/)
    const said = ran.stdout.replaceAll(/\s+/g, ' ')
    expect(said).toContain(`${harness.service.requests.length - 1} request`)
    expect(said).toContain(`${parsed * PRICE} credits`)
    if (refused > 0) expect(said).toContain(`${refused} refused by limits`)
  },
  240_000,
)
