import { createHash } from 'node:crypto'
import { parseOptionsSchema } from '@sluice/contract'
import { recipeHash, type SourceKey } from '#src/document/ids.ts'
import type { ParserIdentity } from '#src/document/parser.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Recipe } from './recipe.ts'
import type { RecipeBook } from './rules.ts'
import { type TextKind, textKindOf } from './texts/text-kind.ts'

/** Changes when the same bytes give other outputs. */
const VERSION = '1'

export const PASSTHROUGH: ParserIdentity = { class: 'passthrough', origin: 'sluice', version: VERSION }

/**
 * Returns the recipe of a text that needs no parser; null for any other document, and for a text without passthrough.
 */
export type TextRecipeBook = (key: SourceKey) => Recipe | null

/** Two files with equal bytes and names of different forms have different answers, hence different receipts. */
function recipe(form: TextKind, zeroDataRetention: boolean): Recipe {
  const canonical = { passthrough: VERSION, ...(form.kind === 'verbatim' ? {} : { form: labelOf(form) }) }
  const digest = createHash('sha256').update(canonicalJson(canonical)).digest('hex')
  return { options: parseOptionsSchema.parse({ zeroDataRetention }), canonical, hash: recipeHash(digest.slice(0, 16)) }
}

const labelOf = (form: TextKind): string => (form.kind === 'code' ? form.language : form.kind)

const recipes = new Map<string, Recipe>()

/** The same object for all documents of one form. */
function recipeWith(form: TextKind, zeroDataRetention: boolean): Recipe {
  const label = `${labelOf(form)} ${zeroDataRetention}`
  const made = recipes.get(label) ?? recipe(form, zeroDataRetention)
  recipes.set(label, made)
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
    const form = isOn ? textKindOf(key) : null
    if (form === null || redacts(book, key)) return null
    return recipeWith(form, book(key, 'html').options.zeroDataRetention)
  }

/** Builds the answer of a parser for a text that is Markdown. Its receipt has the common format. */
export function passthroughAnswer(markdown: string): { readonly body: Buffer; readonly json: Record<string, unknown> } {
  const json = { success: true, data: { markdown, metadata: {} } }
  return { body: Buffer.from(JSON.stringify(json)), json }
}
