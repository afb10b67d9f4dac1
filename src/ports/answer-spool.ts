import type { ReceiptId } from '#src/document/ids.ts'
import type { ReceiptMemory } from './output-store.ts'
import type { Receipt } from '#src/document/record.ts'

/**
 * Paid answers that the store did not take, kept on this machine until it does. Never for documents with zero data
 * retention: the caller sees to that.
 */
export interface AnswerSpool {
  /** Where they are, for people. */
  readonly path: string
  ids(): Promise<readonly ReceiptId[]>
  /** Whole and on the disk when it resolves, readable by this user only. */
  keep(id: ReceiptId, receipt: Receipt): Promise<void>
  /** Null when it is not there, or damaged. `memory` as in `Receipts.read`. */
  read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null>
  remove(id: ReceiptId): Promise<void>
}
