import { setTimeout as sleep } from 'node:timers/promises'
import { recipeHash, sourceKey } from '#src/document/ids.ts'
import type { Cost } from '#src/document/record.ts'
import type { Charge, Reservation, Spending } from '#src/document/spending.ts'
import type { Events } from '#src/events.ts'

/** Credits for one listing of a website by the service (`POST /v2/map`), independent of the result. */
const MAP_CREDITS = 1

/** Listings are not documents: the price model learns their price under a separate name. */
const MAP_RECIPE = recipeHash('map')

/** Retry interval of a listing that waits for credits reserved by requests in flight. */
const RETRY_MS = 1_000

export interface ListingBudget {
  readonly spending: Spending
  /** Credits charged for a reported unit. */
  readonly charge: (reported: number, modelled: number) => number
  readonly events: Events
}

export type ListingPurchase<T> =
  | { readonly kind: 'bought'; readonly listing: T }
  /** The cap of the run does not cover the listing; no request was sent. */
  | { readonly kind: 'over'; readonly message: string }

/** Reported usage of a listing; null if the service reports none. `none`: the service has no such operation. */
export type ReportedUsage = number | null | 'none'

/**
 * Listings that the service charges for. They count towards the credits of the run, its cap (`--max-credits`) and the
 * monthly budget (`--monthly-credits`). A source opens before its run can spend: `setBudget` supplies the budget later.
 */
export class ListingPurchases {
  #budget: ListingBudget | null = null

  setBudget(budget: ListingBudget): void {
    this.#budget = budget
  }

  async buy<T extends { readonly used: ReportedUsage }>(
    url: URL,
    ask: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<ListingPurchase<T>> {
    const budget = this.#budget
    if (budget === null) throw new Error('a listing was to be bought before the run could spend')
    const reserved = await reserve(budget.spending, signal)
    if (typeof reserved === 'string') return { kind: 'over', message: reserved }
    let charge: Charge = 'unknown'
    try {
      const listing = await ask()
      const cost = costOf(listing.used, budget)
      charge = cost?.credits ?? 'unsent'
      if (cost !== null) budget.events.emit('request:charged', { key: sourceKey(url.href), cost })
      return { kind: 'bought', listing }
    } finally {
      await budget.spending.conclude(reserved, charge)
    }
  }
}

function costOf(used: ReportedUsage, { charge }: ListingBudget): Cost | null {
  if (used === 'none') return null
  return used === null
    ? { credits: MAP_CREDITS, basis: 'estimated' }
    : { credits: charge(used, MAP_CREDITS), basis: 'reported' }
}

/** Reserves credits; returns the reason if the cap does not cover them. */
async function reserve(spending: Spending, signal: AbortSignal): Promise<Reservation | string> {
  for (;;) {
    const reserving = await spending.reserve(MAP_RECIPE, MAP_CREDITS)
    if (reserving.kind === 'reserved') return reserving.reservation
    if (reserving.kind === 'over') return reserving.message
    await sleep(RETRY_MS, undefined, { signal })
  }
}
