import { existsSync, rmSync, statSync } from 'node:fs'
import { rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ContentHash, ReceiptId } from '#src/document/ids.ts'
import type { ReceiptMemory, Receipts } from '#src/ports/output-store.ts'
import { type ParserFacts, replaces } from '#src/document/parser.ts'
import type { KeptReceipt, Receipt } from '#src/document/record.ts'
import { isOneOf, writeNew } from '../file-system.ts'
import { entriesIn, readInStore } from './files/folder-entries.ts'
import type { DurableWrites } from './journal/durable-writes.ts'
import { flushRenamed, makeFolderFor, type StoreFolder } from './files/make-folder.ts'
import { packReceipt, receiptIdOf, receiptPath, unpackReceipt } from '../receipt-bytes.ts'
import type { WorkArea } from './files/work-area.ts'
import { explained } from '../store-error.ts'

/** `receipts/` of a folder store: one gzip file per answer. */
export class FolderReceipts implements Receipts {
  readonly #folder: string
  readonly #area: WorkArea
  readonly #writes: DurableWrites

  constructor(area: WorkArea, writes: DurableWrites) {
    this.#folder = join(area.root, 'receipts')
    this.#area = area
    this.#writes = writes
  }

  async read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null> {
    const path = join(this.#folder, receiptPath(id))
    // Almost no document has a receipt yet, and one check is enough then.
    const packed = existsSync(path) ? await readInStore(path, this.#area) : null
    // An unavailable store would hide every receipt, and the worker would buy each answer again.
    if (packed === null) this.#area.checkStoreNow()
    return packed === null ? null : unpackReceipt(id, packed, memory)
  }

  /**
   * Keeps an existing complete receipt and updates only its date. Replaces a damaged one, and one of an older engine.
   */
  async save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    await explained(`cannot keep a receipt in ${this.#area.url}`, () => this.#save(id, body, parser))
  }

  async #save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    const path = join(this.#folder, receiptPath(id))
    const kept = await this.read(id)
    const stays = kept !== null && (parser === null || !replaces(parser, kept.parser))
    if (stays && (await touchIfThere(path))) return
    const packed = await packReceipt(id, { body, parser })
    const entry = { kind: 'receipt', id, blobs: new Map([['receipt', packed]]) } as const
    await this.#writes.write(entry, path, (flushes) => putFile(packed, path, this.#area, flushes))
  }

  /** Checks and removes without a wait in between: a concurrent save writes the receipt if it finds none. */
  async remove(id: ReceiptId, savedAt?: number): Promise<boolean> {
    const path = join(this.#folder, receiptPath(id))
    const found = savedAt === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
    if (found !== undefined && found.mtimeMs !== savedAt) return false
    rmSync(path, { force: true })
    return true
  }

  /** Marks receipts as saved now, without a write. */
  async touch(ids: readonly (ReceiptId | null)[]): Promise<void> {
    const paths = ids.filter((id) => id !== null).map((id) => join(this.#folder, receiptPath(id)))
    await Promise.all(paths.map(touchIfThere))
  }

  async *list(signal: AbortSignal, content?: ContentHash): AsyncGenerator<KeptReceipt> {
    const prefixes = content === undefined ? entriesIn(this.#folder, this.#area) : [{ name: content.slice(0, 2) }]
    for await (const { name: prefix } of prefixes) {
      for await (const { name } of entriesIn(join(this.#folder, prefix), this.#area)) {
        signal.throwIfAborted()
        const id = content === undefined || name.startsWith(content) ? receiptIdOf(name) : null
        const savedAt = id === null ? null : savedAtIfThere(join(this.#folder, prefix, name), this.#area)
        if (id !== null && savedAt !== null) yield { id, savedAt }
      }
    }
  }
}

async function touchIfThere(path: string): Promise<boolean> {
  const now = Date.now() / 1000
  try {
    await utimes(path, now, now)
    return true
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return false
    throw error
  }
}

/** @throws {StoreUnusable} if the store fails with its own error; a listing detects the other cases */
function savedAtIfThere(path: string, area: StoreFolder): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null
  } catch (error) {
    if (isOneOf(error, 'ENOTDIR')) return null
    area.checkStoreNow()
    throw error
  }
}

/** Creates or replaces a file of the store atomically: a reader sees the old content or the new. */
export async function putFile(bytes: Uint8Array, path: string, area: WorkArea, flushes: boolean): Promise<void> {
  const staged = await area.staged(area.newId())
  try {
    await writeNew(staged, bytes, flushes)
    await renameInto(staged, path, area, flushes)
    if (flushes) await flushRenamed(dirname(path), area)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
}

/** Renames a file into a folder that may not exist yet. */
async function renameInto(from: string, to: string, area: WorkArea, flushes: boolean): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!isOneOf(error, 'ENOENT')) throw error
    await makeFolderFor(to, area, flushes)
    await rename(from, to)
  }
}
