import { Random } from '../support/random.ts'
import { CLASS_NAMES, type ClassName } from './classes/index.ts'

/** What happens to the processes, to Redis or to the archive. */
export const OLD_FAULTS = [
  'kill',
  'kill-all',
  'terminate',
  'freeze',
  'kill-redis',
  'second-run',
  'change',
  'write-errors',
] as const
/** `replace`: a process that is picked by lot is killed, and another one started instead. */
export type FaultKind = (typeof OLD_FAULTS)[number] | ClassName | 'replace'

export const FAULTS: readonly FaultKind[] = [...OLD_FAULTS, ...CLASS_NAMES]

export interface PlannedFault {
  readonly kind: FaultKind
  /** It interruptions when the service has had this many further requests, or after `patienceMs`, whatever comes first. */
  readonly requests: number
  readonly patienceMs: number
}

/** A stretch of requests that the service refuses, whatever they bring. */
export interface Burst {
  readonly status: 429 | 503
  /** The first one, counted from the run's first request. */
  readonly from: number
  readonly requests: number
}

/** A run as its seed has it: everything that is drawn by lot is drawn from here. */
export interface Plan {
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
}

/** The engine reads each document, and the pages that it reads badly are bought. */
export interface Routing {
  /** Pages of one document that are bought at the most; null for no limit. */
  readonly buyPages: number | null
}

/** Their runs are on their own, with the real engine, which a campaign with routing does not have. */
export const NEEDS_ENGINE: readonly FaultKind[] = ['engine-killed', 'converter-missing', 'download-hangs']

/** `faults`: the kinds to draw from; all of them when not given. */
export interface PlanOptions {
  readonly short: boolean
  readonly faults?: readonly FaultKind[] | undefined
  readonly routed?: boolean
}

export function planOf(seed: number, { short, routed = false, faults: all = FAULTS }: PlanOptions): Plan {
  const kinds = routed ? all.filter((kind) => !NEEDS_ENGINE.includes(kind)) : all
  const random = new Random(seed)
  const documents = short ? 8 + random.below(20) : 40 + Math.floor(160 * random.next() ** 3)
  const faults = Array.from({ length: short ? 1 + random.below(2) : 1 + random.below(4) }, () => ({
    kind: random.pick(kinds),
    requests: random.below(Math.ceil(documents / 2)),
    patienceMs: 500 + random.below(3_000),
  }))
  return {
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
      status: random.pick([429, 503] as const),
      from: random.below(documents),
      requests: 1 + random.below(8),
    })),
    follows: random.next() < 0.2,
    routing: routed ? { buyPages: random.next() < 0.3 ? 1 + random.below(4) : null } : null,
  }
}

/** One long run of four processes, ten documents for each kill. */
export function killingPlan(seed: number, kills: number): Plan {
  const random = new Random(seed)
  const faults = Array.from({ length: kills }, () => ({
    kind: 'replace' as const,
    requests: random.below(16),
    patienceMs: 300 + random.below(2_000),
  }))
  const calm = { short: false, poison: 0, faultRate: 0, bursts: [], follows: false, routing: null }
  return { ...calm, seed, documents: 10 * kills, concurrency: 4, delayMs: 200, helpers: 3, faults }
}
