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
  /** Documents that the ledger did not know, or did not know to be done. */
  readonly documents: number
  /** Credits that the store's records say were spent in the present month (UTC), of all sources. */
  readonly spentThisMonth: number
}

/**
 * Completes the ledger from the store (Law 4): Redis may be lost or rolled back, the store shows what is done. May go on
 * beside scans and workers: what they know better stays. A dead letter wins over an older record of the same key; a
 * record for the same version was committed after it. What other sources put into the same store is theirs: this source
 * would take it for gone.
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
  // Letters first: an entry that is there stays.
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

/** Makes the ledger from the store alone, whatever it said before: what was pending is found again by the next scan. */
export async function rebuildLedger(deps: RebuildDeps, now: Date, signal: AbortSignal): Promise<number> {
  const { ledger } = deps
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) await ledger.forget(batch.map(([key]) => key))
  return (await completeLedger(deps, now, signal)).documents
}
