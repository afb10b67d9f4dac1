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
 * Answers for one store, in a folder of their own that only this user may enter. Processes on this machine share it: what
 * one of them spools when it stops, another that is given the document finds here and does not buy again.
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
    // Nearly always there is none: a check takes a few microseconds, a hop to a thread ten times as long.
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
 * A decorator: receipts of a store, among which a spooled answer counts as one that is there: it is not bought again, and
 * saved with the next chance. The spool is asked before the store: another process brings answers from the one to the
 * other meanwhile, and removes them last.
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

  /** Those of these bytes and of some of their pages. What is spooled only is to be saved: it counts as new. */
  async *#listBoth(content: ContentHash, signal: AbortSignal): AsyncGenerator<KeptReceipt> {
    const spooled = new Set((await this.#spool.ids()).filter((id) => id.startsWith(content)))
    for await (const receipt of this.#receipts.list(signal, content)) {
      spooled.delete(receipt.id)
      yield receipt
    }
    for (const id of spooled) yield { id, savedAt: Date.now() }
  }
}
