import type { ReceiptId } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports.ts'
import { KeySet } from './key-set.ts'

/**
 * The receipts that no record refers to: of documents that were removed, changed, or are asked for by another recipe.
 * Several records may share one. Not for while a run is under way: its answers have a receipt before they have a record.
 */
export async function* unusedReceipts(store: OutputStore, signal: AbortSignal): AsyncGenerator<ReceiptId> {
  const used = new KeySet()
  for await (const { receipt } of store.listRecords(signal)) if (receipt !== null) used.add(receipt)
  for await (const id of store.listReceipts(signal)) if (!used.has(id)) yield id
}
