import type { SourceKey } from '#src/document/ids.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { Receipts } from '#src/ports/output-store.ts'
import type { Stores } from './deps.ts'
import { missingReceipts } from './rederive.ts'

/** Why a record cannot be that of its entry in the ledger, in one sentence; null where it can. */
export function disagreement(record: DocumentRecord, { version, recipeHash }: LedgerEntry): string | null {
  if (version !== GONE && record.version !== version) return 'its record is of another version than the ledger lists'
  if (record.recipeHash !== recipeHash) return 'its record is of another recipe than the ledger lists'
  // Pieces that were cut off have hashes of their own; the name of a receipt for pages begins with that of the document.
  const named = record.pieces?.flatMap(({ pages, receipt }) => (pages === undefined ? [] : [receipt]))
  const isOther = (named ?? receiptsOf(record)).some((receipt) => receipt?.startsWith(record.contentHash) === false)
  return isOther ? 'its record has another content hash than its receipt' : null
}

/** Whether all that a record was made from is kept: so it is made again without a request, where its content is still that of the source. */
export async function isKept(record: DocumentRecord, receipts: Pick<Receipts, 'read'>): Promise<boolean> {
  return (await missingReceipts(record, receipts)).length === 0
}

export const isDone = ({ outcome }: LedgerEntry): boolean => outcome === 'done' || outcome === 'partial'

/**
 * Lets the next scan do a document again, from its receipt where that is there, or find once more that it is gone. Answers
 * whether `known` still was its entry.
 */
export async function renew(key: SourceKey, known: LedgerEntry, ledger: Ledger): Promise<boolean> {
  const { version, recipeHash } = known
  const [written = false] = await ledger.advance([{ key, known, entry: { version, recipeHash, outcome: 'pending' } }])
  return written
}

/**
 * After a commit for a version that the ledger does not list: the worker stood still in it, and what another one committed and
 * settled meanwhile may lie under it, or was removed. Answers whether the document has to be made again.
 */
export async function renewOverwritten(
  key: SourceKey,
  { documents, deadLetters, ledger }: Pick<Stores, 'documents' | 'deadLetters' | 'ledger'>,
): Promise<boolean> {
  const [known = null] = await ledger.read([key])
  // What is pending has a job, or gets one with the next scan.
  if (known === null || known.outcome === 'pending') return false
  const record = await documents.read(key)
  const isMarked = known.version !== GONE || record?.goneAt !== undefined
  if (record === null || (isMarked && isDone(known) && disagreement(record, known) === null)) return false
  if (known.outcome === 'failed' && (await deadLetters.read(key)) !== null) return false
  return renew(key, known, ledger)
}
