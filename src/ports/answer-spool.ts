import type { ReceiptId } from '#src/document/ids.ts'
import type { ReceiptMemory } from './output-store.ts'
import type { Receipt } from '#src/document/record.ts'

/**
 * Spool on this machine for paid answers that the store rejected; they wait here until it accepts them. The caller
 * excludes documents with zero data retention.
 */
export interface AnswerSpool {
  /** Path of the spool, for messages. */
  readonly path: string
  ids(): Promise<readonly ReceiptId[]>
  /** Durable and complete when it resolves; only this user can read the file. */
  keep(id: ReceiptId, receipt: Receipt): Promise<void>
  /** Null if the answer is missing or damaged. `memory` as in `Receipts.read`. */
  read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null>
  remove(id: ReceiptId): Promise<void>
}
