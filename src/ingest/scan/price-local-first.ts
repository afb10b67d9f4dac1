import type { ContentHash, SourceKey } from '#src/document/ids.ts'
import { pageLists } from '#src/document/page-list.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import { mostPagesIn } from '#src/contract/timeouts.ts'
import { predictPage } from '#src/route/predict-page.ts'
import type { PriceModel, Receipts } from '../deps.ts'
import { parserOfRecord } from '../process/record-parser.ts'

/** As where pages are granted: 0.29 of 100 are 29. */
const ROUNDING = 1e-9

/** Page qualities that a plan prices: pages whose predicted quality is lower are bought. */
export const PRICED_QUALITIES = [0.9, 0.95, 0.98] as const

/**
 * Credits where the first service of an order answers well and the share of pages leaves the fewest, and where every service of
 * the order is paid and the share binds nothing.
 */
export interface OrderedCredits {
  readonly credits: number
  /** The same as `credits` where there is one service and no share. */
  readonly mostCredits: number
}

/** What buying the pages below one quality comes to for a document that the embedded engine has read. */
export interface LocalFirstPrice extends OrderedCredits {
  readonly quality: number
  readonly pages: number
}

/** The prices of the services that a document may go to, in their order. */
export interface OrderPrices {
  readonly order: readonly PriceModel['price'][]
}

/**
 * What an answer for the whole document costs, where no single page of it can be bought. A service that follows in the order is
 * paid only where the one before it failed.
 */
export interface WholePrice extends OrderedCredits {
  readonly pages: number | null
}

/**
 * The price of local-first, by quality, from what a local pass left: exact for one service, because a run would buy the same.
 * The record has the grades of pages; a document without them is bought as a whole where its record has problems, and any where
 * the dead letter says that the embedded engine refused it. Null where that engine has not read these bytes.
 */
export async function localFirstPrices(
  document: {
    readonly key: SourceKey
    readonly contentHash: ContentHash
    readonly recipe: Recipe
    readonly whole: WholePrice
    /** Whether single pages of it can be bought; else one page below the quality has it bought as a whole. */
    readonly isByPage: boolean
    /** Most pages that are bought of it, the worst first; undefined: no limit. */
    readonly buyPages?: number | undefined
    /** Share of the pages of all documents that may be bought; default: all. */
    readonly buyShare?: number | undefined
  },
  { store, order }: Pick<Receipts, 'store'> & OrderPrices,
): Promise<readonly LocalFirstPrice[] | null> {
  const { key, contentHash, recipe, whole, isByPage, buyPages, buyShare = 1 } = document
  const asWhole = PRICED_QUALITIES.map((quality) => ({ ...whole, quality, pages: whole.pages ?? 0 }))
  const letter = await store.readDeadLetter(key)
  if (letter?.contentHash === contentHash && letter.engineRefused === true) return asWhole
  const record = await store.readRecord(key)
  if (record === null || record.contentHash !== contentHash) return null
  const { grade } = record
  if (grade === undefined) {
    if ((await parserOfRecord(record, store)).class !== 'embedded') return null
    return record.problems.length > 0 ? asWhole : PRICED_QUALITIES.map(nothingAt)
  }
  // A page without a grade was bought: it costs nothing more.
  const expected = grade.pages.map((page, at) =>
    page === null
      ? 1
      : predictPage({ grade: page, expected: grade.expected?.[at] ?? null }, grade.engine).expectedQuality,
  )
  return PRICED_QUALITIES.map((quality) => {
    const below = expected
      .flatMap((page, at) => (page < quality ? [{ page, number: at + 1 }] : []))
      .toSorted((a, b) => a.page - b.page)
    if (below.length === 0) return nothingAt(quality)
    if (!isByPage) return { ...whole, quality, pages: whole.pages ?? expected.length }
    const bought = below.slice(0, buyPages).map(({ number }) => number)
    const most = pricedLists(bought, recipe, order)
    // Documents before it may have used up their part of the share, or left some of it: its own part it gets in any order.
    const certain = bought.slice(0, Math.floor(expected.length * buyShare + ROUNDING))
    const { credits } = certain.length === bought.length ? most : pricedLists(certain, recipe, order)
    return { quality, pages: bought.length, credits, mostCredits: most.mostCredits }
  })
}

const nothingAt = (quality: number): LocalFirstPrice => ({ quality, pages: 0, credits: 0, mostCredits: 0 })

/** Each list of pages is a request, and priced as a document of its own. */
function pricedLists(pages: readonly number[], recipe: Recipe, order: readonly PriceModel['price'][]): OrderedCredits {
  const inOrder = pages.toSorted((a, b) => a - b)
  const lists = pageLists(inOrder, mostPagesIn(recipe.options))
  const prices = order.map((price) => lists.reduce((sum, { length }) => sum + price(recipe, 'pdf', length), 0))
  return { credits: prices[0] ?? 0, mostCredits: prices.reduce((sum, price) => sum + price, 0) }
}
