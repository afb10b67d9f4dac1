import type { Budget } from '../plan.ts'
import { type Charge, creditsOf } from '../service/charges.ts'
import type { Interruption } from './interruptions.ts'

export interface Spent {
  readonly budget: Budget
  /** Requests that can be in flight in all processes. */
  readonly slots: number
  readonly charges: readonly Charge[]
  readonly interruptions: readonly Interruption[]
  readonly losesData: boolean
}

/** One sentence where a capped run and its workers spent more than the cap allows. */
export function overBudget(spent: Spent): readonly string[] {
  const { cap } = spent.budget
  const [charged, bound] = [creditsOf(spent.charges.filter((one) => one.charged)), boundOf(spent)]
  if (charged <= cap + bound) return []
  return [`${charged} charged under a cap of ${cap}: ${charged - cap} over, and ${bound} may be`]
}

/**
 * Beyond the cap by the promise: the first document, whose price no process knew; after a rise the difference, for the
 * requests that can be in flight. A process that is killed reports nothing of its unsaved requests: they count as they
 * were reserved, and not at all where Redis lost the reservation too.
 */
function boundOf({ budget: { cap, price, rises }, slots, charges, interruptions, losesData }: Spent): number {
  const highest = Math.max(price, ...charges.map(({ credits }) => credits))
  const first = Math.max(0, price - cap)
  const risen = rises.length > 0 ? (highest - price) * slots : 0
  const unsaved = charges.flatMap(({ charged, at, units, credits }) => {
    const cut = interruptions.find(({ until, kept }) => at <= until && !units.some((unit) => kept.has(unit)))
    if (!charged || cut === undefined) return []
    // A price is reported in the step that ends a request, as its answer is saved; the model says 1 before.
    return [credits - (losesData ? 0 : cut.kept.size > 0 ? price : 1)]
  })
  return first + risen + unsaved.reduce((sum, credits) => sum + credits, 0)
}
