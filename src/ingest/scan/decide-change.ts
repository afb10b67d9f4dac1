import { isTransientStatus } from '#src/client/error-page.ts'
import type { Failure, FailureCode } from '#src/document/failure.ts'
import { contentVersion, type RecipeHash, type SourceKey, type Version, type ContentHash } from '#src/document/ids.ts'
import { policyFor } from '#src/document/parser.ts'
import type { Change } from '#src/events.ts'
import { type LedgerEntry, GONE } from '#src/document/ledger-entry.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { DecideDeps } from '../document/deps.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { Source } from '#src/ports/source.ts'
import { openListed, readOnce } from '../document/read-once.ts'
import { type Handling, handlingOf, refuseByListing } from '../document/preflight.ts'
import { type SkippedFile, skippedFileOf } from '../document/skip-file.ts'
import { holdsErrorPage } from '../document/find-receipt.ts'

/**
 * Decides an existing document in a scan: any difference from the recorded version of this key is a change. "Newer
 * than" is not a criterion: a file moved in with an old date, or replaced within the same second, is a change, too.
 */
export function decideChange(
  known: LedgerEntry | null,
  listed: { readonly version: Version; readonly recipeHash: RecipeHash },
  parsed: Acceptance = ANY_PARSER,
): Exclude<Change, 'gone' | 'unusable'> {
  if (known === null) return 'new'
  if (contentVersion(known.version) !== contentVersion(listed.version)) return 'changed'
  if (known.recipeHash !== listed.recipeHash) return 'recipe_changed'
  if (known.outcome === 'pending') return 'pending'
  const done = known.outcome === 'done' || known.outcome === 'partial'
  return done && ((known.isLocal === true && !parsed.localCounts) || parsed.isOutdated) ? 'parser_changed' : 'unchanged'
}

/** Acceptance of earlier answers in this run. */
export interface Acceptance {
  /** True if documents of the embedded engine count as done. */
  readonly localCounts: boolean
  /** True if an outdated engine parsed this one. */
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
 * Failures that the document did not cause. A later run retries these automatically; the others stay dead letters until
 * the document changes or `sluice retry` selects it.
 */
const TRANSIENT_CODES: readonly FailureCode[] = [
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

export const isTransientFailure = ({ code, repeats }: Pick<Failure, 'code' | 'repeats'>): boolean =>
  TRANSIENT_CODES.includes(code) && repeats !== true

/** Up to 0.2.0, the answer of a proxy or a portal counted as the document's own. */
function isOfProxy({ code, serviceCode, httpStatus = 422, message }: Failure): boolean {
  if (code !== 'service_rejected' || serviceCode !== undefined) return false
  return httpStatus === 400 ? /a page of HTML|something else than JSON|an empty body/.test(message) : httpStatus !== 422
}

/** Maximum rate: a page that its site refuses is requested once a day, because each request is paid for. */
const REFUSED_PAGE_MS = 24 * 3_600_000

/** True to retry an unchanged failed document, by its dead letter. Without a letter, it gets a retry. */
function isWorthRetry(letter: DeadLetter | null, nowMs: number): boolean {
  if (letter === null) return true
  const { code, stage, serviceCode, httpStatus } = letter.failure
  // Its address may be unchanged, and the page missing: the service was paid for that result.
  if (code === 'vanished' && stage === 'parse') return false
  const isPage = code === 'unreadable' && stage === 'parse' && serviceCode === undefined && httpStatus !== undefined
  if (isPage && !isTransientStatus(httpStatus)) return nowMs - Date.parse(letter.lastAt) >= REFUSED_PAGE_MS
  return isTransientFailure(letter.failure) || isOfProxy(letter.failure)
}

/** Decision of a run about an item of a listing. */
export type ItemDecision =
  | { readonly kind: 'skip'; readonly file: SkippedFile }
  /** It fails without being opened. */
  | { readonly kind: 'unusable'; readonly failure: Failure }
  | {
      readonly kind: 'document'
      readonly item: Extract<SourceItem, { kind: 'document' }>
      readonly handling: Handling
      readonly change: ReturnType<typeof decideChange>
      /** The judged version: of the bytes, if they were read. */
      readonly version: Version
      /** True if it failed with a failure that a run retries. */
      readonly isTriedAgain: boolean
      /** True if its record holds a site's error page: it then counts as changed. */
      readonly isErrorPage: boolean
    }

export type DocumentDecision = Extract<ItemDecision, { kind: 'document' }>

type ListedItem = Exclude<SourceItem, { kind: 'left_out' }>

/** Decides for a scan and for a plan alike. Writes nothing. */
export async function decideItem(
  item: ListedItem,
  known: LedgerEntry | null,
  deps: DecideDeps,
  signal: AbortSignal,
): Promise<ItemDecision> {
  const byVersion = decideByVersion(item, known, deps)
  if (byVersion.kind !== 'document') return byVersion
  const { key } = item
  const decided = deps.checksum ? await decideByContent(known, byVersion, deps, signal) : byVersion
  if (decided.change !== 'unchanged') return decided
  if (mayBeErrorPage(key, known, deps.stores) && (await isKeptErrorPage(key, deps.stores))) {
    return { ...decided, change: 'changed', isErrorPage: true }
  }
  const hasFailed = known?.outcome === 'failed'
  const isTriedAgain = hasFailed && isWorthRetry(await deps.stores.deadLetters.read(key), deps.run.clock.wall())
  return { ...decided, isTriedAgain }
}

/** Like `decideItem`, by the listing and the ledger alone, without a request or a read. */
function decideByVersion(item: ListedItem, known: LedgerEntry | null, deps: DecideDeps): ItemDecision {
  if (item.kind === 'skipped') return { kind: 'skip', file: skippedFileOf(item) }
  if (item.kind === 'unusable') return { kind: 'unusable', failure: item.failure }
  const { key, version } = item
  const handling = handlingOf(key, deps.policy)
  if (handling === null) return { kind: 'skip', file: skippedFileOf(item) }
  const failure = refuseByListing(handling, item.bytes, deps.policy.cutter)
  if (failure !== null) return { kind: 'unusable', failure }
  const change = decideChange(known, { version, recipeHash: handling.recipe.hash }, acceptanceOf(key, deps))
  return { kind: 'document', item, handling, change, version, isTriedAgain: false, isErrorPage: false }
}

/** True if an item is certainly unchanged, like nearly all of an archive. Takes no request and no read. */
export function isUnchanged(item: ListedItem, known: LedgerEntry | null, deps: DecideDeps): boolean {
  if (deps.checksum || known === null || known.outcome === 'failed' || mayBeErrorPage(item.key, known, deps.stores))
    return false
  const decided = decideByVersion(item, known, deps)
  return decided.kind === 'document' && decided.change === 'unchanged' && known.version === decided.version
}

/**
 * Like `decideChange`, by content instead of version. A file with a new mtime alone is unchanged; an edit with the same
 * size and date is a change. The store holds the content hash, because the ledger must stay small. It reads only
 * documents that ended under this recipe: any other gets a job in any case.
 */
async function decideByContent(
  known: LedgerEntry | null,
  byVersion: DocumentDecision,
  deps: DecideDeps,
  signal: AbortSignal,
): Promise<DocumentDecision> {
  const { item, handling } = byVersion
  const recipeHash = handling.recipe.hash
  if (known === null || known.outcome === 'pending' || known.outcome === 'skipped') return byVersion
  if (known.version === GONE || known.recipeHash !== recipeHash) return byVersion
  const recorded = await recordedHash(item.key, known, deps.stores)
  const present = recorded === null ? null : await presentHash(item, deps.stores.source, signal)
  if (present === null) return byVersion
  const { version } = present
  if (present.contentHash !== recorded) return { ...byVersion, change: 'changed', version }
  const change = decideChange(known, { version: known.version, recipeHash }, acceptanceOf(item.key, deps))
  return { ...byVersion, change, version }
}

/** Null if a document failed before its bytes were read. */
async function recordedHash(
  key: SourceKey,
  known: LedgerEntry,
  stores: DecideDeps['stores'],
): Promise<ContentHash | null> {
  const ending = await (known.outcome === 'failed' ? stores.deadLetters.read(key) : stores.documents.read(key))
  return ending?.contentHash ?? null
}

/**
 * Null if the document is unreadable now, or changes during the read. Its version then decides, and its job detects the
 * cause.
 */
async function presentHash(
  listed: DocumentDecision['item'],
  source: Source,
  signal: AbortSignal,
): Promise<{ readonly contentHash: ContentHash; readonly version: Version } | null> {
  const opened = await openListed(source, listed, signal)
  if ('message' in opened) return null
  await using document = opened
  try {
    return { contentHash: (await readOnce(document, signal)).contentHash, version: document.version }
  } catch (error) {
    if (error instanceof DocumentChanged) return null
    throw error
  }
}

/** Only these need a lookup in the store: a partial document that the service fetched. */
const mayBeErrorPage = (key: SourceKey, known: LedgerEntry | null, { source }: DecideDeps['stores']): boolean =>
  known?.outcome === 'partial' && source.addressOf?.(key) !== undefined

/** Both kinds of parser wrote this text into the record. */
const ERROR_PAGE = /^the site answered \d+: this is its error page$|^the service reported: The server answered \d+\.$/

/** True if the record holds a site's error page: releases before 0.3 kept it as the document. */
async function isKeptErrorPage(key: SourceKey, { documents, receipts }: DecideDeps['stores']): Promise<boolean> {
  const record = await documents.read(key)
  if (record === null) return false
  if (record.problems.some((problem) => ERROR_PAGE.test(problem))) return true
  const isUnclear =
    record.receipt !== null && record.problems.some((problem) => problem.startsWith('the service reported'))
  const receipt = isUnclear && record.receipt !== null ? await receipts.read(record.receipt) : null
  return receipt !== null && holdsErrorPage(receipt.body)
}
