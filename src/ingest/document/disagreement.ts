import type { SourceKey } from '#src/document/ids.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { Receipts } from '#src/ports/output-store.ts'
import type { Stores } from './deps.ts'
import { missingReceipts } from './rederive.ts'

/** Reason why a record cannot belong to its entry in the ledger, in one sentence; null if it can. */
export function mismatchReason(record: DocumentRecord, { version, recipeHash }: LedgerEntry): string | null {
  if (version !== GONE && record.version !== version) return 'its record has another version than its ledger entry'
  if (record.recipeHash !== recipeHash) return 'its record has another recipe than its ledger entry'
  // Receipts of cut-off pieces have separate hashes. The name of a receipt for pages starts with the document's hash.
  const named = record.pieces?.flatMap(({ pages, receipt }) => (pages === undefined ? [] : [receipt]))
  const isOther = (named ?? receiptsOf(record)).some((receipt) => receipt?.startsWith(record.contentHash) === false)
  return isOther ? 'its record has another content hash than its receipt' : null
}

/**
 * True if every input of a record is stored. Sluice can then recreate it without a request, if the source still has its
 * content.
 */
export async function hasAllReceipts(record: DocumentRecord, receipts: Pick<Receipts, 'read'>): Promise<boolean> {
  return (await missingReceipts(record, receipts)).length === 0
}

export const isDone = ({ outcome }: LedgerEntry): boolean => outcome === 'done' || outcome === 'partial'

/**
 * Makes the next scan redo a document, from its receipt if it exists, or detect once more that it is gone. Returns true
 * if `known` was still its entry.
 */
export async function markPending(key: SourceKey, known: LedgerEntry, ledger: Ledger): Promise<boolean> {
  const { version, recipeHash } = known
  const [written = false] = await ledger.advance([{ key, known, entry: { version, recipeHash, outcome: 'pending' } }])
  return written
}

/**
 * Runs after a commit for a version that the ledger does not list. The worker stalled, so its commit may have
 * overwritten another worker's, or restored a removed document. Returns true if the document must be made again.
 */
export async function markOverwrittenPending(
  key: SourceKey,
  { documents, deadLetters, ledger }: Pick<Stores, 'documents' | 'deadLetters' | 'ledger'>,
): Promise<boolean> {
  const [known = null] = await ledger.read([key])
  // A pending document has a job, or gets one with the next scan.
  if (known === null || known.outcome === 'pending') return false
  const record = await documents.read(key)
  const isMarked = known.version !== GONE || record?.goneAt !== undefined
  if (record === null || (isMarked && isDone(known) && mismatchReason(record, known) === null)) return false
  if (known.outcome === 'failed' && (await deadLetters.read(key)) !== null) return false
  return markPending(key, known, ledger)
}
