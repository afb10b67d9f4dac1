import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { NO_RECIPE, type SourceKey } from '#src/document/ids.ts'
import { belongsTo, type SourceOwner } from '#src/document/store-manifest.ts'
import { batchesOf } from '#src/kit/batched-stream.ts'
import { parserOfRecord } from '../document/find-receipt.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

const BATCH = 500

export interface RebuildDeps {
  readonly owner: SourceOwner
  readonly store: Pick<OutputStore, 'url' | 'receipts' | 'documents' | 'deadLetters'>
  readonly ledger: Ledger
}

export interface Completed {
  /** Number of documents that were missing in the ledger, or not done there. */
  readonly documents: number
  /** Credits spent in the present month (UTC) by the store's records, of all sources. */
  readonly spentThisMonth: number
}

/**
 * Completes the ledger from the store (Law 4): Redis may be lost or rolled back, and the store is the source of truth.
 * It may run concurrently with scans and workers, whose newer entries stay. A dead letter takes precedence over an
 * older record of the same key; a record for the same version was committed after it. It skips documents of other
 * sources in the same store, because this source would treat them as gone.
 */
export async function completeLedger(deps: RebuildDeps, now: Date, signal: AbortSignal): Promise<Completed> {
  const month = now.toISOString().slice(0, 7)
  let [documents, spentThisMonth] = [0, 0]
  const onRecord = ({ cost, finishedAt }: DocumentRecord): void => {
    if (cost.basis !== 'saved' && finishedAt.startsWith(month)) spentThisMonth += cost.credits
  }
  for await (const batch of batchesOf(entriesOf(deps, onRecord, signal), BATCH)) {
    documents += await deps.ledger.adopt(batch)
  }
  return { documents, spentThisMonth }
}

async function* entriesOf(
  { store, owner }: RebuildDeps,
  onRecord: (record: DocumentRecord) => void,
  signal: AbortSignal,
): AsyncGenerator<readonly [SourceKey, LedgerEntry]> {
  // Letters first, because an existing entry stays.
  for await (const letter of store.deadLetters.list(signal)) {
    if (!belongsTo(letter, owner)) continue
    const { key, version, lastAt, recipeHash } = letter
    const record = await store.documents.read(key)
    const isOlder = record !== null && record.version === version && record.finishedAt > lastAt
    if (!isOlder) yield [key, { version, recipeHash: recipeHash ?? NO_RECIPE, outcome: 'failed' }]
  }
  for await (const record of store.documents.list(signal)) {
    onRecord(record)
    if (!belongsTo(record, owner)) continue
    const { key, version, recipeHash, outcome, goneAt } = record
    const isLocal = (await parserOfRecord(record, store.receipts)).class === 'embedded'
    yield [key, { version: goneAt === undefined ? version : GONE, recipeHash, outcome, isLocal }]
  }
}

/**
 * Rebuilds the ledger from the store alone, and discards its earlier content. The next scan finds pending documents
 * again.
 */
export async function rebuildLedger(deps: RebuildDeps, now: Date, signal: AbortSignal): Promise<number> {
  const { ledger } = deps
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) await ledger.forget(batch.map(([key]) => key))
  return (await completeLedger(deps, now, signal)).documents
}
