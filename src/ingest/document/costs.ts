import type { AnswerReading } from '#src/client/read-answer.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { Extension } from '@sluice/contract'
import type { ReceiptId } from '#src/document/ids.ts'
import { invariant } from '#src/kit/invariant.ts'
import type { Cost } from '#src/document/record.ts'
import type { Delivery } from '#src/ports/queue.ts'

export interface PriceModel {
  /** Expected price of a request, in credits. `pages` is null if uncounted. */
  readonly price: (recipe: Recipe, extension: Extension, pages: number | null) => number
}

export interface Prices extends PriceModel {
  /** Charge for the credits that the service reports, given the price model's `modelled`; 0 for a free parser. */
  readonly charge: (reported: number, modelled: number) => number
}

interface Answered {
  readonly recipe: Recipe
  readonly extension: Extension
  /** Number of pages of a PDF; null if unknown. */
  readonly pages: number | null
}

/** Without a count, the price of further pages also decides if a request is free. */
const UNCOUNTED = 2

/** Cost of an answer: from the service's report, else from the price model. */
export function chargedCredits(
  reported: number | null,
  { recipe, extension, pages }: Answered,
  { price, charge }: Prices,
): number {
  if (reported === null) return price(recipe, extension, pages)
  return charge(reported, price(recipe, extension, pages ?? UNCOUNTED))
}

/** Cost of a bought answer. `pages`: number of sent pages, if known. */
export function costOf(
  { recipe, extension }: Pick<Answered, 'recipe' | 'extension'>,
  { creditsReported, pages: { parsed } }: AnswerReading,
  prices: Prices,
  pages: number | null,
): Cost {
  const credits = chargedCredits(creditsReported, { recipe, extension, pages: parsed ?? pages }, prices)
  return { credits, basis: creditsReported === null ? 'estimated' : 'reported' }
}

/** Total cost of several answers, with the weakest basis of them. */
export function sumOfCosts(costs: readonly Cost[]): Cost {
  const has = (basis: Cost['basis']): boolean => costs.some((cost) => cost.basis === basis)
  const credits = costs.reduce((sum, cost) => sum + cost.credits, 0)
  invariant(Number.isFinite(credits) && credits >= 0, 'costs are numbers, and none is negative', { credits })
  return { credits, basis: has('estimated') ? 'estimated' : has('reported') ? 'reported' : 'saved' }
}

/** Cache size: evicts the oldest answer, which then counts as saved. */
const MOST = 10_000

export const SAVED: Cost = { credits: 0, basis: 'saved' }

/**
 * Remembers the payments of this process for parts of unfinished documents. A later attempt finds their receipts. Its
 * record must contain the cost in this run, not treat them as saved.
 */
export class RecentCosts {
  readonly #costs = new Map<string, Cost>()

  paid({ job }: Pick<Delivery, 'job'>, receipt: ReceiptId | null, cost: Cost): void {
    if (receipt === null) return
    this.#costs.set(nameOf(job, receipt), cost)
    const [oldest] = this.#costs.keys()
    if (this.#costs.size > MOST && oldest !== undefined) this.#costs.delete(oldest)
  }

  /** Cost of an existing receipt: zero, unless this document paid for it since it was enqueued. */
  of({ job }: Pick<Delivery, 'job'>, receipt: ReceiptId): Cost {
    return this.#costs.get(nameOf(job, receipt)) ?? SAVED
  }
}

const nameOf = ({ key, queuedAt }: Delivery['job'], receipt: ReceiptId): string => `${queuedAt} ${receipt} ${key}`
