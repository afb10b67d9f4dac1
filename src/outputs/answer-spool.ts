import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentHash, ReceiptId } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import { makeFolder } from '#src/kit/make-folder.ts'
import type { KeptReceipt, Receipt } from '#src/document/record.ts'
import type { AnswerSpool } from '#src/ports/answer-spool.ts'
import type { ReceiptMemory, Receipts } from '#src/ports/output-store.ts'
import { flushFolder, isOneOf, readIfThere, writeFlushed } from './file-system.ts'
import { packReceipt, receiptIdOf, unpackReceipt } from './receipt-bytes.ts'

/**
 * Spooled answers for one store, in a separate folder that only this user may enter. Processes on this machine share
 * it. A process finds the answers that another one spooled on stop, and does not buy them again.
 */
export class FolderSpool implements AnswerSpool {
  readonly path: string

  constructor(folder: string, storeUrl: string) {
    this.path = join(folder, createHash('sha256').update(storeUrl).digest('hex').slice(0, 16))
  }

  async ids(): Promise<readonly ReceiptId[]> {
    try {
      return (await readdir(this.path)).map(receiptIdOf).filter((id) => id !== null)
    } catch (error) {
      if (isOneOf(error, 'ENOENT')) return []
      throw error
    }
  }

  async keep(id: ReceiptId, receipt: Receipt): Promise<void> {
    await makeFolder(this.path, { mode: 0o700 })
    const path = this.#pathOf(id)
    const half = `${path}.${process.pid}.part`
    await rm(half, { force: true })
    await writeFlushed(half, await packReceipt(id, receipt))
    await chmod(half, 0o600)
    await rename(half, path)
    await flushFolder(this.path)
  }

  async read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null> {
    const path = this.#pathOf(id)
    // The file almost never exists. A check takes a few microseconds; a hop to a thread takes ten times as long.
    const packed = existsSync(path) ? await readIfThere(path) : null
    return packed === null ? null : unpackReceipt(id, packed, memory)
  }

  async remove(id: ReceiptId): Promise<void> {
    const path = this.#pathOf(id)
    if (existsSync(path)) await rm(path, { force: true })
  }

  #pathOf(id: ReceiptId): string {
    return join(this.path, `${id}.json.gz`)
  }
}

/**
 * Decorator of a store's receipts: a spooled answer counts as an existing receipt. No worker buys it again, and the
 * next `save` moves it to the store. Reads try the spool before the store. Another process may move answers at the same
 * time, and removes the spooled copy last.
 */
export class SpooledReceipts implements Receipts {
  readonly #receipts: Receipts
  readonly #spool: AnswerSpool

  constructor(receipts: Receipts, spool: AnswerSpool) {
    this.#receipts = receipts
    this.#spool = spool
  }

  async read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null> {
    return (await this.#spool.read(id, memory)) ?? this.#receipts.read(id, memory)
  }

  async save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    await this.#receipts.save(id, body, parser)
    await this.#spool.remove(id)
  }

  remove(id: ReceiptId, savedAt?: number): Promise<boolean> {
    return this.#receipts.remove(id, savedAt)
  }

  list(signal: AbortSignal, content?: ContentHash): AsyncIterable<KeptReceipt> {
    return content === undefined ? this.#receipts.list(signal) : this.#listBoth(content, signal)
  }

  /**
   * Lists stored and spooled receipts of these bytes and of some of their pages. A receipt in the spool alone counts as
   * new.
   */
  async *#listBoth(content: ContentHash, signal: AbortSignal): AsyncGenerator<KeptReceipt> {
    const spooled = new Set((await this.#spool.ids()).filter((id) => id.startsWith(content)))
    for await (const receipt of this.#receipts.list(signal, content)) {
      spooled.delete(receipt.id)
      yield receipt
    }
    for (const id of spooled) yield { id, savedAt: Date.now() }
  }
}
