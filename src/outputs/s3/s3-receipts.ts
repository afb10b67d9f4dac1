import type { ContentHash, ReceiptId } from '#src/document/ids.ts'
import { type ParserFacts, replaces } from '#src/document/parser.ts'
import type { KeptReceipt, Receipt } from '#src/document/record.ts'
import type { ReceiptMemory, Receipts } from '#src/ports/output-store.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import { packReceipt, receiptIdOf, receiptPath, unpackReceipt } from '../receipt-bytes.ts'
import { PART_BYTES } from './objects/s3-bucket.ts'
import type { StoreObjects } from './packs/store-objects.ts'

/** `receipts/` of a bucket: one object per answer. */
export class S3Receipts implements Receipts {
  readonly #objects: StoreObjects
  readonly #url: string

  constructor(objects: StoreObjects, url: string) {
    this.#objects = objects
    this.#url = url
  }

  async read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null> {
    const packed = await this.#objects.get(`receipts/${receiptPath(id)}`)
    return packed === null ? null : unpackReceipt(id, packed.bytes, memory)
  }

  /** Rewrites an existing complete receipt unchanged, to update its date. Replaces a damaged one. */
  async save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    await explainedS3(`cannot keep a receipt in ${this.#url}`, async () => {
      const name = `receipts/${receiptPath(id)}`
      const packed = await packReceipt(id, { body, parser })
      // Almost no receipt exists yet, so a conditional write needs no check. A multipart upload has no such condition.
      const isOnePart = packed.length <= PART_BYTES
      if (isOnePart && (await this.#objects.putIf(name, packed, { kind: 'absent' }))) return
      const kept = await this.#objects.get(name)
      const whole = kept === null ? null : await unpackReceipt(id, kept.bytes)
      const stays = whole !== null && (parser === null || !replaces(parser, whole.parser))
      await this.#objects.put(name, stays && kept !== null ? kept.bytes : packed)
    })
  }

  async remove(id: ReceiptId, savedAt?: number): Promise<boolean> {
    const name = `receipts/${receiptPath(id)}`
    return explainedS3(`cannot remove ${name} from ${this.#url}`, async () => {
      if (savedAt !== undefined) return this.#objects.removeUnchanged(name, savedAt)
      await this.#objects.remove([name])
      return true
    })
  }

  async *list(signal: AbortSignal, content?: ContentHash): AsyncGenerator<KeptReceipt> {
    const below = content === undefined ? 'receipts/' : `receipts/${content.slice(0, 2)}/${content}`
    for await (const objects of this.#objects.listObjects(below, signal)) {
      for (const { name, modifiedAt } of objects) {
        const id = receiptIdOf(name.slice(name.lastIndexOf('/') + 1))
        if (id !== null) yield { id, savedAt: modifiedAt }
      }
    }
  }
}
