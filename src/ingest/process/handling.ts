import { type Extension, extensionOf } from '#src/document/formats.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import type { Recipes } from './deps.ts'

/** What is done with a document: a parser converts it, or its text is the output as it is. */
export type Handling =
  | { readonly kind: 'parse'; readonly extension: Extension; readonly recipe: Recipe }
  | { readonly kind: 'passthrough'; readonly recipe: Recipe }

/** Null for a file that is no document: its name ends in no extension that is taken. */
export function handlingOf(key: SourceKey, { recipeFor, textRecipeFor }: Recipes): Handling | null {
  const extension = extensionOf(key)
  if (extension !== null) return { kind: 'parse', extension, recipe: recipeFor(key, extension) }
  const recipe = textRecipeFor(key)
  return recipe === null ? null : { kind: 'passthrough', recipe }
}
