import { createHash } from 'node:crypto'
import { textExtensionOf, parseOptionsSchema } from '@sluice/contract'
import { recipeHash, type SourceKey } from '#src/document/ids.ts'
import type { ParserIdentity } from '#src/document/parser.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Recipe } from './recipe.ts'
import type { RecipeBook } from './rules.ts'

/** Changes when the same bytes become other outputs. */
const VERSION = '1'

export const PASSTHROUGH: ParserIdentity = { class: 'passthrough', origin: 'sluice', version: VERSION }

/** The recipe of a text that needs no parser; null for any other document, and for a text that is not passed through. */
export type TextRecipeBook = (key: SourceKey) => Recipe | null

const recipe = (zeroDataRetention: boolean): Recipe => {
  const canonical = { passthrough: VERSION }
  const digest = createHash('sha256').update(canonicalJson(canonical)).digest('hex')
  return { options: parseOptionsSchema.parse({ zeroDataRetention }), canonical, hash: recipeHash(digest.slice(0, 16)) }
}

const KEPT = recipe(false)
const NOT_KEPT = recipe(true)

/** Whether documents of that name are to be redacted, which is a parser's work. */
export const redacts = (book: RecipeBook, key: SourceKey): boolean => book(key, 'html').options.redactPII !== false

/**
 * Of the parse options, a text only knows zero data retention. With redaction no text is passed through, so that nothing
 * comes out unredacted.
 */
export const textRecipeBook =
  (book: RecipeBook, isOn: boolean): TextRecipeBook =>
  (key) => {
    if (!isOn || textExtensionOf(key) === null) return null
    if (redacts(book, key)) return null
    return book(key, 'html').options.zeroDataRetention ? NOT_KEPT : KEPT
  }

/** What a parser would answer: the text as it is. Its receipt is read like any other. */
export function passthroughAnswer(markdown: string): { readonly body: Buffer; readonly json: Record<string, unknown> } {
  const json = { success: true, data: { markdown, metadata: {} } }
  return { body: Buffer.from(JSON.stringify(json)), json }
}
