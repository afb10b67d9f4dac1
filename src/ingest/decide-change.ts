import type { FailureCode } from '#src/document/failure.ts'
import { type RecipeHash, type Version, version } from '#src/document/ids.ts'
import type { Change } from '#src/events.ts'
import type { LedgerEntry } from '#src/ports.ts'

/** In the ledger in place of the version of a document that is gone: whatever comes back under its name differs from it. */
export const GONE: Version = version('gone')

/**
 * What a scan makes of a document that is there: any difference of version from what was recorded for this very key is
 * a change. Never "newer than": a file moved in with an old date, or replaced within the same second, is a change too.
 */
export function decideChange(
  known: LedgerEntry | null,
  listed: { readonly version: Version; readonly recipeHash: RecipeHash },
): Exclude<Change, 'gone' | 'unusable'> {
  if (known === null) return 'new'
  if (known.version !== listed.version) return 'changed'
  if (known.recipeHash !== listed.recipeHash) return 'recipe_changed'
  return known.outcome === 'pending' ? 'pending' : 'unchanged'
}

/**
 * Failures that the document did not cause. A later run tries these again by itself; the others stay dead letters
 * until the document changes or someone says `sluice retry`.
 */
const PASSING: readonly FailureCode[] = [
  'refused',
  'unreadable',
  'vanished',
  'changing',
  'service_unavailable',
  'timeout',
  'bad_answer',
  'store_unwritable',
  'internal',
]

export const mayPass = (code: FailureCode): boolean => PASSING.includes(code)
