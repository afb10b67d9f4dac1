import type { ContentHash, SourceKey } from '#src/document/ids.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import { predictPage } from '#src/route/predict-page.ts'
import type { PriceModel, Receipts } from '../deps.ts'

/** Page qualities that a plan prices: pages whose predicted quality is lower are bought. */
export const PRICED_QUALITIES = [0.9, 0.95, 0.98] as const

/** What buying the pages below one quality comes to for a document that the embedded engine has read. */
export interface LocalFirstPrice {
  readonly quality: number
  readonly pages: number
  readonly credits: number
}

/**
 * The price of local-first, by quality, from the grades in the document's record: exact, because the pages to buy are
 * those that a run would buy. Null where the embedded engine has not read these bytes.
 */
export async function localFirstPrices(
  { key, contentHash, recipe }: { readonly key: SourceKey; readonly contentHash: ContentHash; readonly recipe: Recipe },
  { store, price }: Receipts & PriceModel,
): Promise<readonly LocalFirstPrice[] | null> {
  const record = await store.readRecord(key)
  const grade = record?.contentHash === contentHash ? record.grade : undefined
  if (grade === undefined) return null
  // A page without a grade was bought: it costs nothing more.
  const expected = grade.pages.map((page, at) =>
    page === null
      ? 1
      : predictPage({ grade: page, expected: grade.expected?.[at] ?? null }, grade.engine).expectedQuality,
  )
  return PRICED_QUALITIES.map((quality) => {
    const pages = expected.filter((page) => page < quality).length
    return { quality, pages, credits: pages === 0 ? 0 : price(recipe, 'pdf', pages) }
  })
}
