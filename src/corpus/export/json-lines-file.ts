import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ExportedFile, RowsFile } from './export-manifest.ts'

/** Size of the write buffer in characters. */
const GATHERED = 256 * 1024

/** Writer for a JSON object per line, with a buffer of a quarter of a megabyte. */
export class JsonLinesFile implements RowsFile {
  readonly #name: string
  readonly #handle: FileHandle
  readonly #hash: Hash = createHash('sha256')
  #lines: string[] = []
  #gathered = 0
  #rows = 0
  #bytes = 0
  #isClosed = false

  private constructor(name: string, handle: FileHandle) {
    this.#name = name
    this.#handle = handle
  }

  static async create(path: string): Promise<JsonLinesFile> {
    return new JsonLinesFile(basename(path), await open(path, 'wx'))
  }

  async write(row: object): Promise<void> {
    const line = `${JSON.stringify(row)}\n`
    this.#lines.push(line)
    this.#gathered += line.length
    this.#rows += 1
    if (this.#gathered >= GATHERED) await this.#flush()
  }

  async close(): Promise<ExportedFile> {
    await this.#flush()
    await this.#handle.sync()
    await this.abandon()
    return { name: this.#name, rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  async abandon(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#handle.close()
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#lines.join(''))
    this.#lines = []
    this.#gathered = 0
    this.#bytes += bytes.length
    this.#hash.update(bytes)
    await this.#handle.writeFile(bytes)
  }
}
