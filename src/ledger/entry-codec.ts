import { type RecipeHash, recipeHash, version } from '#src/document/ids.ts'
import type { Outcome } from '#src/document/outcome.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'

/** A letter per outcome; the scripts of `ledger-scripts.ts` count by it. */
export const OUTCOME_LETTERS = {
  pending: 'p',
  done: 'd',
  partial: 'r',
  failed: 'f',
  skipped: 's',
} as const satisfies Record<Outcome, string>

/** Done or partial by the embedded engine. */
export const LOCAL_LETTERS = { done: 'D', partial: 'R' } as const

/** Committed, but gone from the source: counted separately, and not local any more. */
export const GONE_LETTERS = { done: 'g', partial: 'h' } as const

const OUTCOMES_BY_LETTER = new Map<string, Outcome>(
  [OUTCOME_LETTERS, LOCAL_LETTERS, GONE_LETTERS].flatMap((letters) =>
    Object.entries(letters).map(([outcome, letter]) => [letter, outcome as Outcome] as const),
  ),
)

/** Length of a packed recipe hash of 16 hexadecimal digits. */
const PACKED_RECIPE_CHARACTERS = 11

/**
 * Encodes an entry as compact text: a letter for the outcome, the recipe hash, the version. A recipe hash other than 16
 * hexadecimal digits is between two colons instead of packed.
 */
export function encodeEntry(entry: LedgerEntry): string {
  return `${letterOf(entry)}${packRecipe(entry.recipeHash)}${entry.version}`
}

function letterOf({ outcome, isLocal, version: of }: LedgerEntry): string {
  if (outcome !== 'done' && outcome !== 'partial') return OUTCOME_LETTERS[outcome]
  if (of === GONE) return GONE_LETTERS[outcome]
  return isLocal === true ? LOCAL_LETTERS[outcome] : OUTCOME_LETTERS[outcome]
}

/** Throws if `text` does not come from `encodeEntry`. */
export function decodeEntry(text: string): LedgerEntry {
  const letter = text.slice(0, 1)
  const isLocal = letter === LOCAL_LETTERS.done || letter === LOCAL_LETTERS.partial
  const outcome = OUTCOMES_BY_LETTER.get(letter)
  if (outcome === undefined) throw new Error(`not an entry of the ledger: ${JSON.stringify(text)}`)
  const loose = text[1] === ':' ? text.indexOf(':', 2) : -1
  const end = loose === -1 ? 1 + PACKED_RECIPE_CHARACTERS : loose + 1
  const recipe = loose === -1 ? unpackRecipe(text.slice(1, end)) : recipeHash(text.slice(2, loose))
  return { outcome, recipeHash: recipe, version: version(text.slice(end)), ...(isLocal ? { isLocal } : {}) }
}

/** Cache of the last recipes, because a recipe repeats over a complete archive. */
const packed = new Map<RecipeHash, string>()
const unpacked = new Map<string, RecipeHash>()
const REMEMBERED = 1_000

function packRecipe(hash: RecipeHash): string {
  return remember(packed, hash, () =>
    /^[0-9a-f]{16}$/.test(hash) ? Buffer.from(hash, 'hex').toString('base64url') : `:${hash}:`,
  )
}

function unpackRecipe(text: string): RecipeHash {
  return remember(unpacked, text, () => recipeHash(Buffer.from(text, 'base64url').toString('hex')))
}

function remember<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  if (known.size >= REMEMBERED) known.clear()
  const value = make()
  known.set(key, value)
  return value
}
