import type { ContentHash, RecipeHash, SourceKey, Version } from '#src/document/ids.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type Source } from '#src/ports/source.ts'
import { decideChange, acceptanceOf } from './decide-change.ts'
import type { ChangeDeps, Receipts } from '../process/deps.ts'
import { openListed } from '../process/open-listed.ts'
import { readOnce } from '../process/read-once.ts'

interface CompareDeps extends Receipts, ChangeDeps {
  readonly source: Source
}

interface Listed {
  readonly key: SourceKey
  readonly version: Version
  readonly recipeHash: RecipeHash
}

export interface Decision {
  readonly change: ReturnType<typeof decideChange>
  /** The version whose bytes were judged: of those that were read, where they had to be. */
  readonly version: Version
}

/**
 * `decideChange` by content instead of version: a file that was only touched is unchanged, one that was edited behind
 * the same size and date is changed. The ledger keeps no content hash (it has to stay small), the store does. Read is
 * only what came to an end under this recipe: anything else makes a job in any case.
 */
export async function decideByContent(
  known: LedgerEntry | null,
  listed: Listed,
  deps: CompareDeps,
  signal: AbortSignal,
): Promise<Decision> {
  const parsed = acceptanceOf(listed.key, deps)
  const byVersion: Decision = { change: decideChange(known, listed, parsed), version: listed.version }
  if (known === null || known.outcome === 'pending' || known.outcome === 'skipped') return byVersion
  if (known.version === GONE || known.recipeHash !== listed.recipeHash) return byVersion
  const recorded = await recordedHash(listed.key, known, deps)
  const present = recorded === null ? null : await presentHash(listed, deps.source, signal)
  if (present === null) return byVersion
  if (present.contentHash !== recorded) return { change: 'changed', version: present.version }
  return { change: decideChange(known, { ...listed, version: known.version }, parsed), version: present.version }
}

/** Null where a document failed before its bytes were read. */
async function recordedHash(key: SourceKey, known: LedgerEntry, { store }: CompareDeps): Promise<ContentHash | null> {
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
