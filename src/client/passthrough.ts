import { createHash } from 'node:crypto'
import { textExtensionOf, parseOptionsSchema } from '@sluice/contract'
import { recipeHash, type SourceKey } from '#src/document/ids.ts'
import type { ParserIdentity } from '#src/document/parser.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Recipe } from './recipe.ts'
import type { RecipeBook } from './rules.ts'

/** Changes when the same bytes give other outputs. */
const VERSION = '1'

export const PASSTHROUGH: ParserIdentity = { class: 'passthrough', origin: 'sluice', version: VERSION }

/**
 * Returns the recipe of a text that needs no parser; null for any other document, and for a text without passthrough.
 */
export type TextRecipeBook = (key: SourceKey) => Recipe | null

const recipe = (zeroDataRetention: boolean): Recipe => {
  const canonical = { passthrough: VERSION }
  const digest = createHash('sha256').update(canonicalJson(canonical)).digest('hex')
  return { options: parseOptionsSchema.parse({ zeroDataRetention }), canonical, hash: recipeHash(digest.slice(0, 16)) }
}

const recipes = new Map<boolean, Recipe>()

/** The same object for all documents. */
function recipeWith(zeroDataRetention: boolean): Recipe {
  const made = recipes.get(zeroDataRetention) ?? recipe(zeroDataRetention)
  recipes.set(zeroDataRetention, made)
  return made
}

/** True if documents of that name need redaction, which is a parser's work. */
export const redacts = (book: RecipeBook, key: SourceKey): boolean => book(key, 'html').options.redactPII !== false

/**
 * Passthrough supports a single parse option, zero data retention. With redaction it takes no text, so that no text
 * stays unredacted.
 */
export const textRecipeBook =
  (book: RecipeBook, isOn: boolean): TextRecipeBook =>
  (key) => {
    if (!isOn || textExtensionOf(key) === null) return null
    if (redacts(book, key)) return null
    return recipeWith(book(key, 'html').options.zeroDataRetention)
  }

/** Builds the answer of a parser for a text: the unchanged text. Its receipt has the common format. */
export function passthroughAnswer(markdown: string): { readonly body: Buffer; readonly json: Record<string, unknown> } {
  const json = { success: true, data: { markdown, metadata: {} } }
  return { body: Buffer.from(JSON.stringify(json)), json }
}
