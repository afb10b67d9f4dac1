import type { Recipe } from '#src/contract/recipe.ts'
import type { Extension } from '#src/document/formats.ts'
import type { Prices } from './deps.ts'

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
