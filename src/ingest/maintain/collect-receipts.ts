import { receiptId } from '#src/document/ids.ts'
import { PARSER_CLASSES } from '#src/document/parser-class.ts'
import { type KeptReceipt, receiptsOf } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { KeySet } from '#src/document/key-set.ts'

/**
 * The receipts that nothing refers to: of documents that were removed, changed, or are asked for by another recipe.
 * Several records may share one; a dead letter has one when its answer came and could not be committed, and more when
 * some of its pieces were parsed.
 *
 * A worker saves a receipt before its record exists, and saves an old receipt once more when it reuses it. So while any
 * worker runs, a caller that removes receipts must leave those alone that were saved since (`savedAt`).
 */
export async function* unusedReceipts(store: OutputStore, signal: AbortSignal): AsyncGenerator<KeptReceipt> {
  const used = new KeySet()
  for await (const record of store.listRecords(signal)) {
    for (const receipt of receiptsOf(record)) if (receipt !== null) used.add(receipt)
  }
  for await (const { contentHash, recipeHash, pieces = [] } of store.listDeadLetters(signal)) {
    for (const parser of [undefined, ...PARSER_CLASSES]) {
      if (contentHash !== null && recipeHash !== null) used.add(receiptId(contentHash, recipeHash, parser))
    }
    for (const { receipt } of pieces) if (receipt !== null) used.add(receipt)
  }
  for await (const receipt of store.listReceipts(signal)) if (!used.has(receipt.id)) yield receipt
}
