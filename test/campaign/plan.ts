import { Random } from '../support/random.ts'
import { type FaultKind, FAULTS } from './classes/index.ts'
import type { Prices } from './service/charges.ts'

export interface PlannedFault {
  readonly kind: FaultKind
  /** It is injected when the service has had this many further requests, or after `patienceMs`, whatever comes first. */
  readonly requests: number
  readonly patienceMs: number
}

/**
 * A stretch of requests that get no document, whatever they bring. `portal`: the same page of a proxy that wants a login,
 * before the service. `unusable`: a 200 that is charged, and another text each time.
 */
export interface Burst {
  readonly reply: 429 | 503 | 'portal' | 'unusable'
  /** The first one, counted from the run's first request. */
  readonly from: number
  readonly requests: number
}

/** A run as its seed has it: everything that is drawn by lot is drawn from here. */
export interface FaultPlan {
  readonly scenario: 'faults' | 'routed' | 'budget'
  readonly seed: number
  /** Few documents, one or two faults, and no run more than it takes to come to the end. */
  readonly short: boolean
  readonly documents: number
  readonly poison: number
  readonly concurrency: number
  readonly faultRate: number
  readonly delayMs: number
  readonly bursts: readonly Burst[]
  /** Workers beside the run. */
  readonly helpers: number
  /** The first process follows the folder, so that changes reach it as events, more than once and in any order. */
  readonly follows: boolean
  readonly faults: readonly PlannedFault[]
  /** Null where every document goes to the service. */
  readonly routing: Routing | null
  /** The first run may spend so much; null for as much as it takes. */
  readonly budget: Budget | null
}

/**
 * `numbers`: a source of all kinds of files, changed between runs with other flags. `metrics`: what a Prometheus scrapes.
 * `power`: the disk of a store loses its power at drawn moments.
 */
export interface OtherPlan {
  readonly scenario: 'numbers' | 'metrics' | 'power'
  readonly seed: number
}

export type Plan = FaultPlan | OtherPlan
export type Scenario = Plan['scenario']

/** How often each is drawn. */
const SHARES = [
  ['faults', 0.6],
  ['routed', 0.1],
  ['budget', 0.1],
  ['numbers', 0.1],
  ['metrics', 0.05],
  ['power', 0.05],
] as const satisfies readonly (readonly [Scenario, number])[]

export const SCENARIOS: readonly Scenario[] = SHARES.map(([scenario]) => scenario)

/** The engine reads each document, and the pages that it reads badly are bought. */
export interface Routing {
  /** Pages of one document that are bought at the most; null for no limit. */
  readonly buyPages: number | null
}

export interface Budget extends Prices {
  readonly cap: number
}

/** Their runs are on their own, with the real engine, which a campaign with routing does not have. */
const NEEDS_ENGINE: readonly FaultKind[] = ['engine-killed', 'converter-missing', 'download-hangs', 'full-disk']

export interface PlanOptions {
  readonly short: boolean
  /** To draw from; all of them when not given. */
  readonly scenarios?: readonly Scenario[] | undefined
  /** The kinds of faults to draw from; all of them when not given. */
  readonly faults?: readonly FaultKind[] | undefined
}

export function planOf(seed: number, options: PlanOptions): Plan {
  const { scenarios = SCENARIOS } = options
  const shares = SHARES.filter(([one]) => scenarios.includes(one))
  // Of a seed of its own: a seed has the same faults, whichever scenarios it is drawn from.
  let left = new Random(seed + 7).next() * shares.reduce((sum, [, share]) => sum + share, 0)
  const [scenario = 'faults'] = shares.find(([, share]) => (left -= share) < 0) ?? shares.at(-1) ?? []
  if (scenario === 'budget') return budgetPlan(seed)
  return scenario === 'faults' || scenario === 'routed' ? faultPlan(scenario, seed, options) : { scenario, seed }
}

function faultPlan(
  scenario: 'faults' | 'routed',
  seed: number,
  { short, faults: all = FAULTS }: PlanOptions,
): FaultPlan {
  const routed = scenario === 'routed'
  const kinds = routed ? all.filter((kind) => !NEEDS_ENGINE.includes(kind)) : all
  const random = new Random(seed)
  const documents = short ? 8 + random.below(20) : 40 + Math.floor(160 * random.next() ** 3)
  const faults = Array.from({ length: short ? 1 + random.below(2) : 1 + random.below(4) }, () => ({
    kind: random.pick(kinds),
    requests: random.below(Math.ceil(documents / 2)),
    patienceMs: 500 + random.below(3_000),
  }))
  return {
    scenario,
    seed,
    short,
    documents,
    poison: random.next() < 0.05 ? 0.02 : 0,
    concurrency: 2 + random.below(10),
    faultRate: random.next() < 0.5 ? 0 : 0.05,
    delayMs: 2 + random.below(40),
    helpers: random.next() < 0.3 ? 1 : 0,
    faults,
    bursts: Array.from({ length: random.below(3) }, () => ({
      reply: random.pick([429, 503, 'portal', 'unusable'] as const),
      from: random.below(documents),
      requests: 1 + random.below(8),
    })),
    follows: random.next() < 0.2,
    routing: routed ? { buyPages: random.next() < 0.3 ? 1 + random.below(4) : null } : null,
    budget: null,
  }
}

const CALM = { short: false, poison: 0, faultRate: 0, bursts: [], follows: false, routing: null } as const

/** A capped run and up to seven workers; the price may rise, the account be emptied, workers be killed, Redis be flushed. */
function budgetPlan(seed: number): FaultPlan {
  const random = new Random(seed)
  const processes = 1 + Math.min(random.below(8), random.below(8))
  const price = 1 + random.below(random.below(2) === 0 ? 5 : 200)
  const affordable = 1 + random.below(24)
  const cap = random.next() < 0.12 ? 1 + random.below(price) : price * affordable + random.below(price)
  const some = (chance: number, most: number): number[] =>
    random.next() < chance ? Array.from({ length: 1 + random.below(most) }, () => random.below(affordable + 2)) : []
  const concurrency = 1 + random.below(6)
  const documents = affordable + 4 + random.below(12)
  const rises = some(0.35, 2).map((after) => ({ after, price: price + 1 + random.below(price + 20) }))
  const emptyAfter = some(0.15, 1)[0] ?? null
  const strikes = [
    ...(processes > 1 ? some(0.3, processes - 1) : []).map((at) => ({ kind: 'kill-worker' as const, at })),
    ...some(0.25, 1).map((at) => ({ kind: 'flush' as const, at })),
  ].toSorted((one, other) => one.at - other.at)
  const faults = strikes.map(({ kind, at }, index) => ({
    kind,
    requests: at - (strikes[index - 1]?.at ?? 0),
    patienceMs: 20_000,
  }))
  const run = { documents, concurrency, delayMs: 45, helpers: processes - 1, faults }
  return { ...CALM, ...run, scenario: 'budget', seed, budget: { cap, price, rises, emptyAfter } }
}
