import type { RecipeHash } from './ids.ts'

/** Credits that are set aside for one request, from before it is sent until it is known what it cost. */
export interface Reservation {
  readonly id: string
  readonly recipe: RecipeHash
  /** By the price model. */
  readonly modelled: number
  /** Set aside: the higher of the model and the highest charge for the recipe that was reported before. */
  readonly credits: number
}

export type Reserving =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  /** What is in flight may use the cap up, or reveal the price: ask again. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** Nothing more can be sent under this cap. */
  | { readonly kind: 'over'; readonly message: string }

/** What a request came to: credits charged, nothing sent, or sent with an answer that never came. */
export type Charge = number | 'unsent' | 'unknown'

/**
 * All that limits what requests may cost. The cap of a queue binds every worker that takes jobs from the queue, on all
 * machines, whichever process set it; the budgets of an API key bind all processes that send with it. Reservations use
 * the price model or what the service charged for the recipe before, whichever is higher; while neither is borne out by
 * a charge, a capped queue has one request of a recipe in flight at a time.
 *
 * More than the cap is charged only by requests that cost more than was set aside for them: the first one of a recipe, and
 * after a rise those that were reserved before the rise was first reported. A process that is killed reports nothing, and
 * what was in flight there counts as it was set aside.
 */
export interface Spending {
  reserve(recipe: RecipeHash, modelled: number): Promise<Reserving>
  /** Ends a reservation; repeatable. */
  conclude(reservation: Reservation, charge: Charge): Promise<void>
}

/** Of a service that charges nothing. */
export const NO_SPENDING: Spending = {
  reserve: async (recipe, modelled) => ({
    kind: 'reserved',
    reservation: { id: '', recipe, modelled, credits: modelled },
  }),
  conclude: async () => undefined,
}
