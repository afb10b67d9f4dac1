import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { pagesBought } from '../world/paged-documents.ts'
import type { StoreFiles } from './store-files.ts'

const DIGEST_LENGTH = 64

/**
 * What a store has receipts for: a document by the SHA-256 of its content, a page of a routed PDF by its name. A receipt
 * of the embedded engine costs nothing, and counts for nothing.
 */
export class KeptUnits {
  readonly #files: StoreFiles
  /** By the name of the receipt. */
  readonly #read = new Map<string, readonly string[]>()

  constructor(files: StoreFiles) {
    this.#files = files
  }

  /** Of a paged archive. Receipts that are not whole are left out. */
  async ofPages(): Promise<ReadonlySet<string>> {
    const names = (await this.#files.list('receipts')).filter((name) => name.includes('-service'))
    for (const name of names.filter((one) => !this.#read.has(one))) {
      const answer = await this.#answer(name)
      if (answer === null) continue
      const pages = pagesBought(answer)
      this.#read.set(name, pages.length > 0 ? pages : [basename(name).slice(0, DIGEST_LENGTH)])
    }
    return new Set(names.flatMap((name) => this.#read.get(name) ?? []))
  }

  /** Of an archive without pages: each content of which the store has a receipt, whole or not. */
  async ofContents(): Promise<ReadonlySet<string>> {
    const names = await this.#files.list('receipts')
    return new Set(names.map((name) => basename(name).slice(0, DIGEST_LENGTH)))
  }

  async #answer(name: string): Promise<string | null> {
    const bytes = await this.#files.read(name)
    if (bytes === null) return null
    try {
      return gunzipSync(bytes).toString()
    } catch {
      return null
    }
  }
}
