import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentHash, ReceiptId } from '#src/document/ids.ts'
import { makeFolder } from '#src/kit/make-folder.ts'
import type { KeptReceipt, Receipt } from '#src/document/record.ts'
import { withMethods } from '#src/kit/with-methods.ts'
import type { AnswerSpool } from '#src/ports/answer-spool.ts'
import type { OutputStore, ReceiptMemory } from '#src/ports/output-store.ts'
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
 * A store in which a spooled answer counts as a receipt that is there: it is not bought again, and saved with the next
 * chance. The spool is asked before the store: another process brings answers from the one to the other meanwhile, and
 * removes them last.
 */
export function withSpool(store: OutputStore, spool: AnswerSpool): OutputStore {
  return withMethods(store, {
    readReceipt: async (id, memory) => (await spool.read(id, memory)) ?? store.readReceipt(id, memory),
    listReceipts: (signal, content) =>
      content === undefined ? store.listReceipts(signal) : listBoth(store, spool, content, signal),
    saveReceipt: async (id, body, parser) => {
      await store.saveReceipt(id, body, parser)
      await spool.remove(id)
    },
  })
}

/** Those of these bytes and of some of their pages. What is spooled only is to be saved: it counts as new. */
async function* listBoth(
  store: OutputStore,
  spool: AnswerSpool,
  content: ContentHash,
  signal: AbortSignal,
): AsyncGenerator<KeptReceipt> {
  const spooled = new Set((await spool.ids()).filter((id) => id.startsWith(content)))
  for await (const receipt of store.listReceipts(signal, content)) {
    spooled.delete(receipt.id)
    yield receipt
  }
  for (const id of spooled) yield { id, savedAt: Date.now() }
}
