import { setTimeout as sleep } from 'node:timers/promises'
import { recipeHash, sourceKey } from '#src/document/ids.ts'
import type { Cost } from '#src/document/record.ts'
import type { Charge, Reservation, Spending } from '#src/document/spending.ts'
import type { Events } from '#src/events.ts'

/** Credits for one listing of a website by the service (`POST /v2/map`), whatever comes back. */
const MAP_CREDITS = 1

/** Listings are no documents: their price is learned under a name of its own. */
const MAP_RECIPE = recipeHash('map')

/** How soon a listing that waits for what is in flight asks for credits again. */
const AGAIN_MS = 1_000

export interface Till {
  readonly spending: Spending
  /** What a reported unit costs. */
  readonly charge: (reported: number, modelled: number) => number
  readonly events: Events
}

export type Listed<T> =
  | { readonly kind: 'bought'; readonly listing: T }
  /** The cap of the run does not cover it; nothing was asked. */
  | { readonly kind: 'over'; readonly message: string }

/** What the service reports that a listing used; null where it reports nothing. `none`: it has no such operation. */
export type Used = number | null | 'none'

/**
 * Listings that the service charges for: they count in the credits of the run, against its cap (`--max-credits`) and
 * against the budget of the month (`--monthly-credits`).
 * A source is opened before its run can spend, so the till comes later.
 */
export class ListingPurchases {
  #till: Till | null = null

  openTill(till: Till): void {
    this.#till = till
  }

  async buy<T extends { readonly used: Used }>(
    url: URL,
    ask: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<Listed<T>> {
    const till = this.#till
    if (till === null) throw new Error('a listing was to be bought before the run could spend')
    const reserved = await reserve(till.spending, signal)
    if (typeof reserved === 'string') return { kind: 'over', message: reserved }
    let charge: Charge = 'unknown'
    try {
      const listing = await ask()
      const cost = costOf(listing.used, till)
      charge = cost?.credits ?? 'unsent'
      if (cost !== null) till.events.emit('request:charged', { key: sourceKey(url.href), cost })
      return { kind: 'bought', listing }
    } finally {
      await till.spending.conclude(reserved, charge)
    }
  }
}

function costOf(used: Used, { charge }: Till): Cost | null {
  if (used === 'none') return null
  return used === null
    ? { credits: MAP_CREDITS, basis: 'estimated' }
    : { credits: charge(used, MAP_CREDITS), basis: 'reported' }
}

/** Why there is none, where the cap does not cover it. */
async function reserve(spending: Spending, signal: AbortSignal): Promise<Reservation | string> {
  for (;;) {
    const reserving = await spending.reserve(MAP_RECIPE, MAP_CREDITS)
    if (reserving.kind === 'reserved') return reserving.reservation
    if (reserving.kind === 'over') return reserving.message
    await sleep(AGAIN_MS, undefined, { signal })
  }
}
