import type { LimitedPlan } from './limited/service-plan.ts'

/** How a regime is judged. Windows are counted from the start. */
export type Measure =
  /** Goodput over windows `from` to `to`, as a share of the best possible. */
  | { readonly kind: 'goodput'; readonly from: number; readonly to: number }
  /** Windows after `at` until 90 % of what is possible then, and the requests sent while nothing was possible. */
  | { readonly kind: 'recovery'; readonly at: number; readonly until: number; readonly event: RecoveryEvent }
  /** Every poison document ends failed after five counted attempts, and no other does. */
  | { readonly kind: 'poison' }

export type RecoveryEvent = 'outage' | 'credits' | 'up' | 'down'

export interface Regime {
  readonly name: string
  readonly plan: LimitedPlan
  readonly measure: Measure
  readonly windows: number
  /** Percentage of documents that are poison. */
  readonly poisonPercent?: number
}

const AMPLE = { places: 300, whenFull: 'reject', serviceMs: 200 } as const
const CALM = { spread: 0.5, retryAfter: 'exact', errors: 0, change: null, outage: null, credits: null } as const
const STEADY = { kind: 'goodput', from: 2, to: 7 } as const

/** No limit on the rate that these regimes would reach. */
const UNLIMITED = 1_000_000

/** The table of `npm run bench -- limiter`, for windows of `windowMs`. */
export function regimes(windowMs: number): readonly Regime[] {
  const base = { windowMs, ...CALM }
  const rates = (
    [
      ['fixed', 10, 'exact'],
      ['fixed', 100, 'exact'],
      ['fixed', 600, 'none'],
      ['first', 100, 'none'],
      ['first', 600, 'exact'],
      ['sliding', 200, 'none'],
      ['sliding', 1000, 'exact'],
      ['bucket', 200, 'exact'],
      ['bucket', 600, 'none'],
    ] as const
  ).map(([window, rate, retryAfter]): Regime => {
    const name = `rate ${rate}, ${window} window${retryAfter === 'none' ? ', no Retry-After' : ''}`
    return { name, plan: { ...base, ...AMPLE, window, rate, retryAfter }, measure: STEADY, windows: 7 }
  })
  const places = (
    [
      [2, 'reject', 200],
      [20, 'reject', 200],
      [100, 'reject', 800],
      [2, 'queue', 200],
      [20, 'queue', 200],
      [100, 'queue', 800],
    ] as const
  ).map(([count, whenFull, serviceMs]): Regime => {
    const limits = { window: 'fixed', rate: UNLIMITED, places: count, whenFull, serviceMs } as const
    return { name: `${count} places, ${whenFull}`, plan: { ...base, ...limits }, measure: STEADY, windows: 7 }
  })
  return [...rates, ...places, both(base), ...events(base)]
}

/** Four regimes that take three minutes together with all that is around them. */
export function quickRegimes(windowMs: number): readonly Regime[] {
  const names = ['rate 100, fixed window', '20 places, reject', '20 places, queue', 'rate 200, sliding window']
  return regimes(windowMs)
    .filter(({ name }) => names.some((start) => name.startsWith(start)))
    .map((regime) => ({ ...regime, measure: { kind: 'goodput', from: 2, to: 4 }, windows: 4 }))
}

type Base = typeof CALM & { readonly windowMs: number }

function both(base: Base): Regime {
  const limits = { window: 'sliding', rate: 500, places: 20, whenFull: 'queue', serviceMs: 200, errors: 0.05 } as const
  return { name: 'rate 500 and 20 places, 5 % errors', plan: { ...base, ...limits }, measure: STEADY, windows: 7 }
}

function events(base: Base): readonly Regime[] {
  const { windowMs } = base
  const at = (windows: number): number => windows * windowMs
  const rated = { ...base, ...AMPLE, window: 'sliding' } as const
  const limited = { ...base, window: 'fixed', rate: UNLIMITED, whenFull: 'reject', serviceMs: 500 } as const
  const recovery = (event: RecoveryEvent, from: number, until: number): Measure => {
    return { kind: 'recovery', at: from, until, event }
  }
  return [
    {
      name: 'plan up: rate 100 → 500',
      plan: { ...rated, rate: 100, change: { at: at(4), rate: 500 } },
      measure: recovery('up', 4, 12),
      windows: 12,
    },
    {
      name: 'plan up: places 5 → 50',
      plan: { ...limited, places: 5, change: { at: at(3), places: 50 } },
      measure: recovery('up', 3, 11),
      windows: 11,
    },
    {
      name: 'plan down: rate 500 → 100',
      plan: { ...rated, rate: 500, change: { at: at(4), rate: 100 } },
      measure: recovery('down', 4, 9),
      windows: 9,
    },
    {
      name: 'plan down: places 50 → 5',
      plan: { ...limited, places: 50, change: { at: at(3), places: 5 } },
      measure: recovery('down', 3, 8),
      windows: 8,
    },
    {
      name: 'outage of ten windows',
      plan: { ...rated, rate: 500, places: 20, outage: { from: at(3), to: at(13) } },
      measure: recovery('outage', 13, 16),
      windows: 16,
    },
    {
      name: 'credits out for five windows',
      plan: { ...rated, rate: 500, places: 20, credits: { documents: 600, toppedUpAt: at(8) } },
      measure: recovery('credits', 8, 12),
      windows: 12,
    },
    {
      name: 'poison: 2 of 100 documents',
      plan: { ...rated, rate: 500, places: 20, errors: 0 },
      measure: { kind: 'poison' },
      windows: 14,
      poisonPercent: 2,
    },
  ]
}

/** Upper bound on goodput in documents per millisecond, before or after the change of limits. */
export function bestPerMs(plan: LimitedPlan, after: boolean): number {
  const rate = (after ? plan.change?.rate : undefined) ?? plan.rate
  const places = (after ? plan.change?.places : undefined) ?? plan.places
  return Math.min(rate / plan.windowMs, places / plan.serviceMs) * (1 - plan.errors)
}

/** A fifth more than the upper bound, so that no worker runs out; a poison regime has 1,000, which all end. */
export function documentsFor({ plan, windows, measure: how }: Regime): number {
  const { windowMs } = plan
  if (how.kind === 'poison') return 1_000
  const perMs = Math.max(bestPerMs(plan, false), bestPerMs(plan, true))
  return Math.ceil(1.2 * perMs * windows * windowMs) + 200
}
