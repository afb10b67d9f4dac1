import pLimit from 'p-limit'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'
import type { Orphan } from '#src/document/orphan.ts'
import type { OutputStore, Receipts } from '#src/ports/output-store.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { mismatchReason, hasAllReceipts } from '../document/disagreement.ts'
import { damageOf, missingReceipts, rederive, type Rendering } from '../document/rederive.ts'

export type Finding =
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'damaged'
      readonly key: SourceKey
      /** One sentence each. */
      readonly damage: readonly string[]
      readonly repaired: boolean
      /** The next run makes it again, for 0 credits. */
      readonly again: boolean
    }
  /** A truncated or altered receipt without a reference: it counts as missing. */
  | { readonly kind: 'half_receipt'; readonly id: ReceiptId; readonly removed: boolean }
  | { readonly kind: 'orphan'; readonly orphan: Orphan; readonly removed: boolean }

export interface VerifyOptions {
  /** True to derive differing files again, and complete interrupted writes. Removes nothing of value. */
  readonly repair: boolean
  /** True to remove unexplained files in the store's own folders, which may be a user's own files. */
  readonly removeOrphans: boolean
  readonly ledgers?: LedgersOfStore
  /** Receives the key of each document that has a record. */
  readonly recorded?: KeySet
}

export interface LedgersOfStore {
  /** Ledger entry of a done document; null if no ledger has one. */
  readonly listed: (key: SourceKey) => Promise<LedgerEntry | null>
  /** Makes the next run redo a document; false if no ledger has it as done. */
  readonly renew: (key: SourceKey) => Promise<boolean>
}

type Checked = Pick<VerifyOptions, 'repair' | 'ledgers' | 'recorded'>

/** Number of documents verified concurrently. */
const AT_ONCE = 16

/** Threshold in bytes: the memory holds larger outputs of one document at a time. */
const LARGE_BYTES = 2_000_000

/** Compares every file with its record, every record with its receipt, and all other files with both. */
export async function* verifyStore(
  deps: Rendering & { readonly store: Pick<OutputStore, 'maintenance'> },
  options: VerifyOptions,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { store } = deps
  const { repair, removeOrphans } = options
  if (repair) await store.maintenance.recover()
  const used = new KeySet()
  yield* verifyDocuments(collectingReceipts(store.documents.list(signal), used), deps, options)
  yield* halfReceipts(store.receipts, used, repair, signal)
  for await (const orphan of store.maintenance.orphans(signal)) {
    const removed = removeOrphans && orphan.kind === 'foreign'
    if (removed) await store.maintenance.removeOrphan(orphan)
    yield { kind: 'orphan', orphan, removed }
  }
}

/**
 * Compares the files of these documents with their records, and the records with their receipts. Findings keep the
 * order of the documents.
 */
export function verifyDocuments(
  records: AsyncIterable<DocumentRecord>,
  deps: Rendering,
  options: Checked,
): AsyncGenerator<Finding> {
  const oneByOne = pLimit(1)
  const check = async (record: DocumentRecord): Promise<Finding> => {
    const listed = (await options.ledgers?.listed(record.key)) ?? null
    const other = listed === null ? null : mismatchReason(record, listed)
    options.recorded?.add(record.key)
    if (other !== null) return reportMismatch(record, other, deps, options)
    const found = await Promise.all([damageOf(record, deps.store.documents), lostReceipts(record, deps.store.receipts)])
    const damage = found.flat()
    return damage.length === 0 ? { kind: 'whole' } : repairOutputs(record, damage, deps, options)
  }
  return mapInOrder(records, AT_ONCE, async (record) => {
    const bytes = record.files.reduce((sum, file) => sum + file.bytes, 0)
    return bytes > LARGE_BYTES ? oneByOne(() => check(record)) : check(record)
  })
}

async function* collectingReceipts(
  records: AsyncIterable<DocumentRecord>,
  used: KeySet,
): AsyncGenerator<DocumentRecord> {
  for await (const record of records) {
    for (const receipt of receiptsOf(record)) if (receipt !== null) used.add(receipt)
    yield record
  }
}

async function lostReceipts(record: DocumentRecord, receipts: Receipts): Promise<readonly string[]> {
  const lost = (await missingReceipts(record, receipts)).filter((receipt) => receipt !== null)
  return lost.map(() => `its receipt is missing or damaged: ${isFree(record) ? FREE : PAID}`)
}

const PAID = 'if its outputs must be made again, the document is paid for again'
const FREE = 'to make its outputs again from the source costs 0 credits'

/** A text with passthrough: its source is its receipt. */
const isFree = ({ parser, goneAt }: DocumentRecord): boolean => parser?.class === 'passthrough' && goneAt === undefined

/** The receipt to derive from belongs to another document or version. */
async function reportMismatch(
  record: DocumentRecord,
  damage: string,
  { store }: Rendering,
  { repair, ledgers }: Checked,
): Promise<Finding> {
  const { key } = record
  const again = repair && (await hasAllReceipts(record, store.receipts)) && (await ledgers?.renew(key)) === true
  return { kind: 'damaged', key, damage: [damage], repaired: false, again }
}

async function repairOutputs(
  record: DocumentRecord,
  damage: readonly string[],
  deps: Rendering,
  { repair, ledgers }: Checked,
): Promise<Finding> {
  const rederived = repair ? (await rederive(record, deps)).kind : null
  const again = rederived === 'no_receipt' && isFree(record) && (await ledgers?.renew(record.key)) === true
  return { kind: 'damaged', key: record.key, damage, repaired: rederived === 'written', again }
}

async function* halfReceipts(
  receipts: Receipts,
  used: KeySet,
  repair: boolean,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  for await (const { id, savedAt } of receipts.list(signal)) {
    if (used.has(id) || (await receipts.read(id)) !== null) continue
    yield { kind: 'half_receipt', id, removed: repair && (await receipts.remove(id, savedAt)) }
  }
}
