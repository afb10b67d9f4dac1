import type { RecipeHash } from './ids.ts'

/** Credits reserved for one request, from before the sending until its cost is known. */
export interface Reservation {
  readonly id: string
  readonly recipe: RecipeHash
  /** Estimate of the price model. */
  readonly modelled: number
  /** Reserved amount: the maximum of the model and the highest reported charge for the recipe. */
  readonly credits: number
}

export type Reserving =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  /** Requests in flight may use up the cap or reveal the price: the worker asks again. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** The cap admits no further request. */
  | { readonly kind: 'over'; readonly message: string }

/** Result of a request: credits charged, nothing sent, or sent without an answer. */
export type Charge = number | 'unsent' | 'unknown'

/**
 * All limits on the cost of requests. The cap of a queue binds every worker of the queue, on all machines and for any
 * process that set it. The budgets of an API key bind all processes that send with it. A reservation takes the maximum
 * of the price model and earlier charges for the recipe. Until a charge confirms it, a capped queue has one request of
 * a recipe in flight at a time.
 *
 * Only requests that cost more than their reservation exceed the cap: the first request of a recipe, and requests
 * reserved before the first report of a price rise. A killed process reports nothing, so its requests in flight count
 * as reserved.
 */
export interface Spending {
  reserve(recipe: RecipeHash, modelled: number): Promise<Reserving>
  /** Ends a reservation; idempotent. */
  conclude(reservation: Reservation, charge: Charge): Promise<void>
}

/** For a service that charges nothing. */
export const NO_SPENDING: Spending = {
  reserve: async (recipe, modelled) => ({
    kind: 'reserved',
    reservation: { id: '', recipe, modelled, credits: modelled },
  }),
  conclude: async () => undefined,
}
