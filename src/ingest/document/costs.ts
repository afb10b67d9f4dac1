import type { AnswerReading } from '#src/client/read-answer.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { Extension } from '@sluice/contract'
import type { ReceiptId } from '#src/document/ids.ts'
import { invariant } from '#src/kit/invariant.ts'
import type { Cost } from '#src/document/record.ts'
import type { Delivery } from '#src/ports/queue.ts'

export interface PriceModel {
  /** What a request will cost, in credits. `pages` is null when they were not counted. */
  readonly price: (recipe: Recipe, extension: Extension, pages: number | null) => number
}

export interface Prices extends PriceModel {
  /** What is charged for credits that the service reports, where the price model says `modelled`: nothing for a parser that is free. */
  readonly charge: (reported: number, modelled: number) => number
}

interface Answered {
  readonly recipe: Recipe
  readonly extension: Extension
  /** Of a PDF; null where they are not known. */
  readonly pages: number | null
}

/** Without a count, what further pages cost decides as well whether a request is free. */
const UNCOUNTED = 2

/** What an answer costs: by what the service reports, else by the price model. */
export function chargedCredits(
  reported: number | null,
  { recipe, extension, pages }: Answered,
  { price, charge }: Prices,
): number {
  if (reported === null) return price(recipe, extension, pages)
  return charge(reported, price(recipe, extension, pages ?? UNCOUNTED))
}

/** The cost of an answer that was bought. `pages`: those that were sent, where they are known. */
export function costOf(
  { recipe, extension }: Pick<Answered, 'recipe' | 'extension'>,
  { creditsReported, pages: { parsed } }: AnswerReading,
  prices: Prices,
  pages: number | null,
): Cost {
  const credits = chargedCredits(creditsReported, { recipe, extension, pages: parsed ?? pages }, prices)
  return { credits, basis: creditsReported === null ? 'estimated' : 'reported' }
}

/** What several answers cost together; as sure as the least sure of them. */
export function sumOfCosts(costs: readonly Cost[]): Cost {
  const has = (basis: Cost['basis']): boolean => costs.some((cost) => cost.basis === basis)
  const credits = costs.reduce((sum, cost) => sum + cost.credits, 0)
  invariant(Number.isFinite(credits) && credits >= 0, 'costs are numbers, and none is negative', { credits })
  return { credits, basis: has('estimated') ? 'estimated' : has('reported') ? 'reported' : 'saved' }
}

/** Answers that are remembered; the longest known goes first, and counts as saved from then on. */
const MOST = 10_000

export const SAVED: Cost = { credits: 0, basis: 'saved' }

/**
 * What this process paid for the parts of documents that are not done yet. A later attempt finds their receipts, and its
 * record is to say what the document cost in this run, not that it was there.
 */
export class RecentCosts {
  readonly #costs = new Map<string, Cost>()

  paid({ job }: Pick<Delivery, 'job'>, receipt: ReceiptId | null, cost: Cost): void {
    if (receipt === null) return
    this.#costs.set(nameOf(job, receipt), cost)
    const [oldest] = this.#costs.keys()
    if (this.#costs.size > MOST && oldest !== undefined) this.#costs.delete(oldest)
  }

  /** What a receipt cost that is there: nothing, unless this document paid for it since it was enqueued. */
  of({ job }: Pick<Delivery, 'job'>, receipt: ReceiptId): Cost {
    return this.#costs.get(nameOf(job, receipt)) ?? SAVED
  }
}

const nameOf = ({ key, queuedAt }: Delivery['job'], receipt: ReceiptId): string => `${queuedAt} ${receipt} ${key}`
