import { Random } from '../support/random.ts'

/** What happens to the processes, to Redis or to the archive. */
export const FAULTS = [
  'kill',
  'kill-all',
  'terminate',
  'freeze',
  'kill-redis',
  'second-run',
  'change',
  'write-errors',
] as const
export type FaultKind = (typeof FAULTS)[number]

export interface PlannedFault {
  readonly kind: FaultKind
  /** It strikes when the service has had this many further requests, or after `patienceMs`, whatever comes first. */
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
  readonly documents: number
  readonly poison: number
  readonly concurrency: number
  readonly faultRate: number
  readonly delayMs: number
  readonly bursts: readonly Burst[]
  /** A worker beside the run. */
  readonly helper: boolean
  /** The first process follows the folder, so that changes reach it as events, more than once and in any order. */
  readonly follows: boolean
  readonly faults: readonly PlannedFault[]
}

export function planOf(seed: number, { short }: { readonly short: boolean }): Plan {
  const random = new Random(seed)
  const documents = short ? 10 + random.below(30) : 40 + Math.floor(160 * random.next() ** 3)
  const faults = Array.from({ length: short ? 1 + random.below(2) : 1 + random.below(4) }, () => ({
    kind: random.pick(FAULTS),
    requests: random.below(Math.ceil(documents / 2)),
    patienceMs: 500 + random.below(3_000),
  }))
  return {
    seed,
    documents,
    poison: random.next() < 0.05 ? 0.02 : 0,
    concurrency: 2 + random.below(10),
    faultRate: random.next() < 0.5 ? 0 : 0.05,
    delayMs: 2 + random.below(40),
    helper: random.next() < 0.3,
    faults,
    bursts: Array.from({ length: random.below(3) }, () => ({
      status: random.pick([429, 503] as const),
      from: random.below(documents),
      requests: 1 + random.below(8),
    })),
    follows: random.next() < 0.2,
  }
}
