import type { Failure } from '#src/document/failure.ts'
import type { ContentHash, RecipeHash, SourceKey, Version } from '#src/document/ids.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { Source } from '#src/ports/source.ts'
import type { DecideDeps } from '../process/deps.ts'
import { openListed, readOnce } from '../process/read-once.ts'
import { type Handling, handlingOf, refuseByListing } from '../process/preflight.ts'
import { type SkippedFile, skippedFileOf } from '../process/skip-file.ts'
import { acceptanceOf, decideChange, failedByChance } from './decide-change.ts'
import { holdsErrorPage } from '../process/find-receipt.ts'

/** What a run makes of an item of a listing. */
export type ItemDecision =
  | { readonly kind: 'skip'; readonly file: SkippedFile }
  /** It ends failed without being opened. */
  | { readonly kind: 'unusable'; readonly failure: Failure }
  | {
      readonly kind: 'document'
      readonly item: Extract<SourceItem, { kind: 'document' }>
      readonly handling: Handling
      readonly change: ReturnType<typeof decideChange>
      /** The version whose bytes were judged: of those that were read, where they had to be. */
      readonly version: Version
      /** It failed, by something that a run tries again. */
      readonly isTriedAgain: boolean
      /** Its record stands for a site's error page, so that it counts as changed. */
      readonly isErrorPage: boolean
    }

/** Decides for a scan and for a plan alike. Writes nothing. */
export async function decideItem(
  item: Exclude<SourceItem, { kind: 'left_out' }>,
  known: LedgerEntry | null,
  deps: DecideDeps,
  signal: AbortSignal,
): Promise<ItemDecision> {
  if (item.kind === 'skipped') return { kind: 'skip', file: skippedFileOf(item) }
  if (item.kind === 'unusable') return { kind: 'unusable', failure: item.failure }
  const { key } = item
  const handling = handlingOf(key, deps)
  if (handling === null) return { kind: 'skip', file: skippedFileOf(item) }
  const failure = refuseByListing(handling, item.bytes, deps.cutter)
  if (failure !== null) return { kind: 'unusable', failure }
  const listed = { key, version: item.version, recipeHash: handling.recipe.hash }
  const { change: seen, version } = deps.checksum
    ? await decideByContent(known, listed, deps, signal)
    : { change: decideChange(known, listed, acceptanceOf(key, deps)), version: item.version }
  const isErrorPage = seen === 'unchanged' && mayBeErrorPage(key, known, deps) && (await isKeptErrorPage(key, deps))
  const change = isErrorPage ? 'changed' : seen
  const hasFailed = change === 'unchanged' && known?.outcome === 'failed'
  const isTriedAgain = hasFailed && failedByChance(await deps.store.readDeadLetter(key), deps.clock.wall())
  return { kind: 'document', item, handling, change, version, isTriedAgain, isErrorPage }
}

interface Listed {
  readonly key: SourceKey
  readonly version: Version
  readonly recipeHash: RecipeHash
}

type Decided = Pick<Extract<ItemDecision, { kind: 'document' }>, 'change' | 'version'>

/**
 * `decideChange` by content instead of version: a file that was only touched is unchanged, one that was edited behind
 * the same size and date is changed. The ledger keeps no content hash (it has to stay small), the store does. Read is
 * only what came to an end under this recipe: anything else makes a job in any case.
 */
async function decideByContent(
  known: LedgerEntry | null,
  listed: Listed,
  deps: DecideDeps,
  signal: AbortSignal,
): Promise<Decided> {
  const parsed = acceptanceOf(listed.key, deps)
  const byVersion: Decided = { change: decideChange(known, listed, parsed), version: listed.version }
  if (known === null || known.outcome === 'pending' || known.outcome === 'skipped') return byVersion
  if (known.version === GONE || known.recipeHash !== listed.recipeHash) return byVersion
  const recorded = await recordedHash(listed.key, known, deps)
  const present = recorded === null ? null : await presentHash(listed, deps.source, signal)
  if (present === null) return byVersion
  if (present.contentHash !== recorded) return { change: 'changed', version: present.version }
  return { change: decideChange(known, { ...listed, version: known.version }, parsed), version: present.version }
}

/** Null where a document failed before its bytes were read. */
async function recordedHash(key: SourceKey, known: LedgerEntry, { store }: DecideDeps): Promise<ContentHash | null> {
  const ending = await (known.outcome === 'failed' ? store.readDeadLetter(key) : store.readRecord(key))
  return ending?.contentHash ?? null
}

/** Null where the document cannot be read now, or changes meanwhile: then its version decides, and its job finds out. */
async function presentHash(
  listed: Listed,
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

/** Only these are looked up in the store: a partial document that the service fetched by itself. */
export const mayBeErrorPage = (
  key: SourceKey,
  known: LedgerEntry | null,
  { source }: Pick<DecideDeps, 'source'>,
): boolean => known?.outcome === 'partial' && source.addressOf?.(key) !== undefined

/** As the two kinds of parser wrote it into the record. */
const ERROR_PAGE = /^the site answered \d+: this is its error page$|^the service reported: The server answered \d+\.$/

/** Whether the record stands for a site's error page: releases before 0.3 kept it as the document. */
async function isKeptErrorPage(key: SourceKey, { store }: DecideDeps): Promise<boolean> {
  const record = await store.readRecord(key)
  if (record === null) return false
  if (record.problems.some((problem) => ERROR_PAGE.test(problem))) return true
  const isUnclear =
    record.receipt !== null && record.problems.some((problem) => problem.startsWith('the service reported'))
  const receipt = isUnclear && record.receipt !== null ? await store.readReceipt(record.receipt) : null
  return receipt !== null && holdsErrorPage(receipt.body)
}
