import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ParquetWriter } from 'hyparquet-writer'
import { chosenColumns, chunkSchema, COLUMNS_WITH_STATISTICS } from './parquet-columns.ts'
import type { ExportedFile, RowsFile } from './export-manifest.ts'

/** Thresholds of rows and characters of text that complete a row group. */
const MAX_ROWS = 2500
const MAX_CHARACTERS = 4 * 1024 * 1024

/** `chunks.parquet`: the lines of `chunks.jsonl` as columns, in row groups (snappy). */
export class ParquetFile implements RowsFile {
  readonly #path: string
  readonly #writer: ParquetWriter
  readonly #columns: ReturnType<typeof chosenColumns>
  #group: Readonly<Record<string, unknown>>[] = []
  #characters = 0
  #rows = 0

  private constructor(path: string, writer: ParquetWriter, columns: ReturnType<typeof chosenColumns>) {
    this.#path = path
    this.#columns = columns
    this.#writer = writer
  }

  static async create(path: string, chosen?: ReadonlySet<string>): Promise<ParquetFile> {
    const columns = chosenColumns(chosen)
    const { fileWriter, ParquetWriter: Writer } = await import('hyparquet-writer')
    const writer = new Writer({ writer: fileWriter(path), schema: chunkSchema(columns), createdBy: 'sluice' })
    return new ParquetFile(path, writer, columns)
  }

  async write(row: object): Promise<void> {
    const columns = { ...row } as Record<string, unknown>
    this.#group.push(columns)
    this.#rows += 1
    this.#characters += typeof columns['text'] === 'string' ? columns['text'].length * 2 : 0
    if (this.#group.length >= MAX_ROWS || this.#characters >= MAX_CHARACTERS) await this.#writeGroup()
  }

  async close(): Promise<ExportedFile> {
    // A file without rows gets one empty group: readers require columns.
    if (this.#group.length > 0 || this.#rows === 0) await this.#writeGroup()
    await this.#writer.finish()
    await using file = await open(this.#path, 'r')
    await file.sync()
    const hash = createHash('sha256')
    await pipeline(createReadStream(this.#path), hash)
    const { size } = await stat(this.#path)
    return { name: basename(this.#path), rows: this.#rows, bytes: size, sha256: hash.digest('hex') }
  }

  /** The caller removes its folder; no file is open between two writes. */
  async abandon(): Promise<void> {
    this.#group = []
  }

  async #writeGroup(): Promise<void> {
    const group = this.#group
    this.#group = []
    this.#characters = 0
    const columnData = this.#columns.map(({ name }) => ({
      name,
      data: group.map((row) => row[name] ?? null),
      statistics: COLUMNS_WITH_STATISTICS.has(name),
      // The writer would keep these in memory to the end of the file, too, for pages within a row group.
      offsetIndex: false,
    }))
    await this.#writer.write({ columnData, rowGroupSize: Math.max(1, group.length) })
  }
}
