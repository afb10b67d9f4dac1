import { seededRandom } from '#src/route/audit/seeded-random.ts'

/*
 * The published distribution of services. `draw(seed)` is one service; the same seed gives the same service. Times are
 * milliseconds, rates requests per window.
 */

export type WindowKind = 'fixed' | 'first' | 'sliding' | 'bucket'

export interface RateLimit {
  readonly kind: WindowKind
  readonly windowMs: number
  readonly limit: number
  /** Tokens that a bucket holds. */
  readonly burst: number
  /** Refused requests use up the limit as well. */
  readonly penalty: boolean
  /** Where the window of a fixed one begins. */
  readonly phaseMs: number
}

export interface Latency {
  readonly meanMs: number
  /** Sigma of the log-normal; 0 for constant. */
  readonly sigma: number
  /** The service is slow until then, by up to `coldExtraMs` a request. */
  readonly coldUntilMs: number
  readonly coldExtraMs: number
  /** From this many in flight on, a request takes (n / knee) ^ steepness times as long: 1 is a plateau, more a collapse. */
  readonly knee: number | null
  readonly steepness: number
}

export type RetryAfter = 'exact' | 'decimal' | 'none' | 'zero' | 'constant' | 'tenfold' | 'past'

export interface Service {
  readonly seed: number
  readonly family: string
  readonly limits: readonly RateLimit[]
  readonly concurrency: { readonly places: number; readonly whenFull: 'refuse' | 'queue' } | null
  readonly tellsQueued: boolean
  readonly latency: Latency
  readonly timeoutMs: number
  readonly text: 'explicit' | 'vague'
  readonly retryAfter: RetryAfter
  readonly constantRetryMs: number
  /** Share of requests that are refused though no limit is reached. */
  readonly noise: number
  /** The very first request is refused, for no limit. In known situations only. */
  readonly refusesFirst?: true
  /** Other clients of the key take this share of the limits. */
  readonly others: {
    readonly shape: 'constant' | 'square' | 'sine'
    readonly share: number
    readonly periodMs: number
  } | null
  readonly change: { readonly atMs: number; readonly factor: number } | null
  readonly outages: readonly { readonly fromMs: number; readonly toMs: number; readonly retryAfter: boolean }[]
  readonly event: Event
  readonly processes: number
  readonly slots: number
  readonly horizonMs: number
}

type Event = 'none' | 'others' | 'outage' | 'deploy' | 'change'

const WINDOWS: readonly (readonly [number | 'any', number])[] = [
  [60_000, 4],
  [1_000, 1.5],
  [10_000, 1.5],
  [300_000, 1],
  [3_600_000, 1],
  ['any', 1],
]

/** Longest of these, cut where the service's limits let through `MAX_REQUESTS`. */
const WINDOWS_LONG = 20
const SERVICE_TIMES_LONG = 30
const COLD_STARTS_LONG = 5
const DOCUMENTS_LONG = 500
const MAX_REQUESTS = 20_000

type Random = () => number

const logUniform = (random: Random, from: number, to: number): number => from * (to / from) ** random()

function pick<T>(random: Random, choices: readonly (readonly [T, number])[]): T {
  let left = random() * choices.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [choice, weight] of choices) {
    left -= weight
    if (left < 0) return choice
  }
  return choices.at(-1)![0]
}

export function draw(seed: number): Service {
  const random = seededRandom(seed * 2_654_435 + 99)
  for (let i = 0; i < 5; i += 1) random()
  const family = pick(random, [
    ['rate', 38],
    ['concurrency', 16],
    ['overload', 16],
    ['rate and concurrency', 13],
    ['two rates', 12],
    ['no limit', 5],
  ] as const)
  const processes = Math.round(logUniform(random, 1, 32.4))
  const slots = processes * 50
  const latency = drawLatency(random, family === 'overload')
  const limits = drawLimits(random, family)
  const concurrency = drawConcurrency(random, family, limits[0], latency.meanMs)
  const perMs = capacity(limits, concurrency?.places ?? null, latency, slots)
  const windowMs = Math.max(0, ...limits.map((limit) => limit.windowMs))
  const wanted = [
    WINDOWS_LONG * windowMs,
    SERVICE_TIMES_LONG * latency.meanMs,
    COLD_STARTS_LONG * latency.coldUntilMs,
    DOCUMENTS_LONG / perMs,
  ]
  const horizonMs = Math.min(Math.max(...wanted), latency.coldUntilMs + MAX_REQUESTS / perMs)
  const kind = {
    rate: limits[0]?.kind,
    concurrency: concurrency?.whenFull,
    overload: latency.steepness > 1 ? 'collapse' : 'plateau',
  }
  return {
    seed,
    family: family in kind ? `${family} ${kind[family as keyof typeof kind]}` : family,
    limits,
    concurrency,
    tellsQueued: random() < 0.5,
    latency,
    timeoutMs: latency.knee === null ? 300_000 : Math.max(10_000, 40 * latency.meanMs),
    text: random() < 0.5 ? 'explicit' : 'vague',
    retryAfter: pick(random, [
      ['exact', 4],
      ['decimal', 1],
      ['none', 2],
      ['zero', 1],
      ['constant', 1],
      ['tenfold', 1],
      ['past', 0.5],
    ] as const),
    constantRetryMs: pick(random, [
      [1_000, 1],
      [5_000, 1],
      [30_000, 1],
      [60_000, 1],
    ]),
    noise: random() < 0.3 ? 0.002 + 0.028 * random() : 0,
    ...drawEvent(random, limits.length > 0, horizonMs, windowMs),
    processes,
    slots,
    horizonMs,
  }
}

function drawLatency(random: Random, overloads: boolean): Latency {
  const meanMs = logUniform(random, 100, 10_000)
  const kind = pick(random, [
    ['constant', 1],
    ['log-normal', 2],
    ['cold', 0.5],
  ] as const)
  const knee = overloads ? logUniform(random, 4, 200) : null
  return {
    meanMs,
    sigma: kind === 'constant' ? 0 : 0.3 + 0.6 * random(),
    coldUntilMs: kind === 'cold' ? 20_000 : 0,
    coldExtraMs: kind === 'cold' ? 10_000 + 10_000 * random() : 0,
    knee,
    steepness: random() < 0.35 ? 1 : 1.2 + 0.8 * random(),
  }
}

function drawLimits(random: Random, family: string): readonly RateLimit[] {
  if (!family.includes('rate')) return []
  const choice = pick(random, WINDOWS)
  const windowMs = choice === 'any' ? logUniform(random, 1_000, 3_600_000) : choice
  const limit = Math.round(logUniform(random, 1, 5_000))
  if (family !== 'two rates') return [rateLimit(random, windowMs, limit)]
  const longMs = windowMs * logUniform(random, 10, 60)
  const long = Math.max(2, Math.round((limit / windowMs) * longMs * (0.3 + 0.6 * random())))
  return [rateLimit(random, windowMs, Math.max(2, limit)), rateLimit(random, longMs, long)]
}

function rateLimit(random: Random, windowMs: number, limit: number): RateLimit {
  const kind = pick(random, [
    ['fixed', 1],
    ['sliding', 1],
    ['first', 1],
    ['bucket', 1.3],
  ] as const)
  const burst = Math.max(1, limit * logUniform(random, 0.05, 1))
  const penalty = random() < 0.2 && (kind === 'sliding' || kind === 'bucket')
  return { kind, windowMs, limit, burst, penalty, phaseMs: random() * windowMs }
}

function drawConcurrency(
  random: Random,
  family: string,
  rate: RateLimit | undefined,
  meanMs: number,
): Service['concurrency'] {
  if (!family.includes('concurrency')) return null
  const used = rate === undefined ? null : Math.max(1, (rate.limit / rate.windowMs) * meanMs)
  const places = used === null ? logUniform(random, 1, 300) : used * logUniform(random, 0.5, 2)
  return { places: Math.max(1, Math.round(places)), whenFull: random() < 0.6 ? 'refuse' : 'queue' }
}

/** Documents a millisecond that the limits let through. */
function capacity(limits: readonly RateLimit[], places: number | null, latency: Latency, slots: number): number {
  const inFlight = Math.min(slots, places ?? Infinity, latency.knee ?? Infinity)
  return Math.min(inFlight / latency.meanMs, ...limits.map(({ limit, windowMs }) => limit / windowMs))
}

function drawEvent(
  random: Random,
  limited: boolean,
  horizonMs: number,
  windowMs: number,
): Pick<Service, 'event' | 'others' | 'change' | 'outages'> {
  const event = pick<Event>(random, [
    ['none', 6],
    ['others', 3],
    ['outage', 1],
    ['deploy', 1],
    ['change', 2],
  ])
  const quiet = { event, others: null, change: null, outages: [] }
  if (event === 'others' && limited) {
    const shape = pick(random, [
      ['constant', 1],
      ['square', 1],
      ['sine', 1],
    ] as const)
    const periodMs = Math.min(horizonMs / 2.5, 2 * windowMs * (1 + random()))
    return { ...quiet, others: { shape, share: 0.1 + 0.4 * random(), periodMs } }
  }
  if (event === 'outage') {
    const fromMs = horizonMs * (0.2 + 0.4 * random())
    return { ...quiet, outages: [{ fromMs, toMs: fromMs + horizonMs * (0.05 + 0.1 * random()), retryAfter: false }] }
  }
  if (event === 'deploy') {
    const count = 2 + Math.floor(3 * random())
    const outages = Array.from({ length: count }, (_, i) => {
      const fromMs = ((horizonMs * (i + 0.5 + 0.3 * random())) / count) * 0.95
      return { fromMs, toMs: fromMs + Math.min(5_000, 0.02 * horizonMs), retryAfter: true }
    })
    return { ...quiet, outages }
  }
  if (event === 'change') {
    return {
      ...quiet,
      change: {
        atMs: horizonMs * (0.3 + 0.3 * random()),
        factor: pick(random, [
          [5, 1],
          [2, 1],
          [0.5, 1],
          [0.2, 1],
        ]),
      },
    }
  }
  return quiet
}
