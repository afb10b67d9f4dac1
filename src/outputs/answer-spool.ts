import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReceiptId } from '#src/document/ids.ts'
import type { Receipt } from '#src/document/record.ts'
import type { AnswerSpool } from '#src/document/answer-spool.ts'
import type { ReceiptRoom } from '#src/document/output-store.ts'
import type { OutputStore } from '#src/ports.ts'
import { flushFolder, isOneOf, readIfThere, writeFlushed } from './file-system.ts'
import { packReceipt, receiptIdOf, unpackReceipt } from './receipt-bytes.ts'

/** Answers for one store, in a folder of their own that only this user may enter. */
export class FolderSpool implements AnswerSpool {
  readonly path: string
  /** Ids that are there, so that a look-up for any other costs nothing. */
  readonly #kept: Set<ReceiptId>

  private constructor(path: string, kept: Set<ReceiptId>) {
    this.path = path
    this.#kept = kept
  }

  static async open(folder: string, storeUrl: string): Promise<FolderSpool> {
    const path = join(folder, createHash('sha256').update(storeUrl).digest('hex').slice(0, 16))
    return new FolderSpool(path, new Set(await idsIn(path)))
  }

  get ids(): readonly ReceiptId[] {
    return [...this.#kept]
  }

  async keep(id: ReceiptId, { body, parser }: Receipt): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    const path = this.#pathOf(id)
    const half = `${path}.${process.pid}.part`
    await rm(half, { force: true })
    await writeFlushed(half, await packReceipt(body, parser))
    await chmod(half, 0o600)
    await rename(half, path)
    await flushFolder(this.path)
    this.#kept.add(id)
  }

  async read(id: ReceiptId, room?: ReceiptRoom): Promise<Receipt | null> {
    const packed = this.#kept.has(id) ? await readIfThere(this.#pathOf(id)) : null
    return packed === null ? null : unpackReceipt(packed, room)
  }

  async remove(id: ReceiptId): Promise<void> {
    if (!this.#kept.has(id)) return
    await rm(this.#pathOf(id), { force: true })
    this.#kept.delete(id)
  }

  #pathOf(id: ReceiptId): string {
    return join(this.path, `${id}.json.gz`)
  }
}

async function idsIn(path: string): Promise<ReceiptId[]> {
  try {
    return (await readdir(path)).map(receiptIdOf).filter((id) => id !== null)
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return []
    throw error
  }
}

/** A store in which a spooled answer counts as a receipt that is there: it is not bought again, and saved with the next chance. */
export function withSpool(store: OutputStore, spool: AnswerSpool): OutputStore {
  const reading: Pick<OutputStore, 'readReceipt' | 'saveReceipt'> = {
    readReceipt: async (id, room) => (await store.readReceipt(id, room)) ?? spool.read(id, room),
    saveReceipt: async (id, body, parser) => {
      await store.saveReceipt(id, body, parser)
      await spool.remove(id)
    },
  }
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'readReceipt' || name === 'saveReceipt') return reading[name]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
