import { isPassingStatus } from '#src/contract/error-page.ts'
import type { Failure, FailureCode } from '#src/document/failure.ts'
import type { RecipeHash, SourceKey, Version } from '#src/document/ids.ts'
import { policyFor } from '#src/document/parser.ts'
import type { Change } from '#src/events.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { DecideDeps } from '../process/deps.ts'

/**
 * What a scan makes of a document that is there: any difference of version from what was recorded for this very key is
 * a change. Never "newer than": a file moved in with an old date, or replaced within the same second, is a change too.
 */
export function decideChange(
  known: LedgerEntry | null,
  listed: { readonly version: Version; readonly recipeHash: RecipeHash },
  parsed: Acceptance = ANY_PARSER,
): Exclude<Change, 'gone' | 'unusable'> {
  if (known === null) return 'new'
  if (known.version !== listed.version) return 'changed'
  if (known.recipeHash !== listed.recipeHash) return 'recipe_changed'
  if (known.outcome === 'pending') return 'pending'
  const done = known.outcome === 'done' || known.outcome === 'partial'
  return done && ((known.isLocal === true && !parsed.localCounts) || parsed.isOutdated) ? 'parser_changed' : 'unchanged'
}

/** Whether what was parsed before is good enough for this run. */
export interface Acceptance {
  /** Whether documents that the embedded engine did count as done. */
  readonly localCounts: boolean
  /** Whether this one was done by an older engine than it should be. */
  readonly isOutdated: boolean
}

const ANY_PARSER: Acceptance = { localCounts: true, isOutdated: false }

export const acceptanceOf = (
  key: SourceKey,
  { parsers, isOutdated }: Pick<DecideDeps, 'parsers' | 'isOutdated'>,
): Acceptance => ({
  localCounts: parsers.acceptLocal || policyFor(parsers, key).own.class === 'embedded',
  isOutdated: isOutdated(key),
})

/**
 * Failures that the document did not cause. A later run tries these again by itself; the others stay dead letters
 * until the document changes or `sluice retry` chooses it.
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

export const mayPass = ({ code, repeats }: Pick<Failure, 'code' | 'repeats'>): boolean =>
  PASSING.includes(code) && repeats !== true

/** Up to 0.2.0 what a proxy or a portal answered counted as the document's own. */
function isOfProxy({ code, serviceCode, httpStatus = 422, message }: Failure): boolean {
  if (code !== 'service_rejected' || serviceCode !== undefined) return false
  return httpStatus === 400 ? /a page of HTML|something else than JSON|an empty body/.test(message) : httpStatus !== 422
}

/** A page that its site refuses is asked for once a day at the most: each time is paid for. */
const REFUSED_PAGE_MS = 24 * 3_600_000

/** Whether an unchanged document that failed is sent again, by its dead letter; without one, it is. */
export function failedByChance(letter: DeadLetter | null, nowMs: number): boolean {
  if (letter === null) return true
  const { code, stage, serviceCode, httpStatus } = letter.failure
  // Its address may be as it was, and the page not there: the service was paid to learn that.
  if (code === 'vanished' && stage === 'parse') return false
  const isPage = code === 'unreadable' && stage === 'parse' && serviceCode === undefined && httpStatus !== undefined
  if (isPage && !isPassingStatus(httpStatus)) return nowMs - Date.parse(letter.lastAt) >= REFUSED_PAGE_MS
  return mayPass(letter.failure) || isOfProxy(letter.failure)
}
