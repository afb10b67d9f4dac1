import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SetupError } from '#src/document/setup-error.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { ExportedFile, RowsFile } from './exported-file.ts'
import type { Tombstone } from './select-documents.ts'

/** File of an export that names the chunks of each document, those included that earlier exports hold. */
export const IDS_FILE = 'ids.jsonl'

/** A line of `ids.jsonl`; a document of very many chunks has several. */
interface DocumentIds {
  readonly document: SourceKey
  readonly chunks: readonly string[]
}

/** The `ids.jsonl` of an earlier export, as its manifest describes it. */
export interface EarlierIds {
  readonly folder: string
  readonly file: ExportedFile
}

interface Files {
  /** Null where the ids of earlier exports are not known. */
  readonly ids: RowsFile | null
  /** Null for a whole export. */
  readonly tombstones: RowsFile | null
}

/**
 * Keeps which chunks a reader of the exports has, so that a tombstone names those that are no more. A whole export writes the ids
 * as they come. One since another holds the ids of changed documents in memory, and streams the rest from the earlier file.
 */
export class ChunkIds {
  readonly #files: Files
  readonly #earlier: EarlierIds | null
  readonly #tombstones = new Map<SourceKey, Tombstone['change']>()
  readonly #written = new Map<SourceKey, string[]>()

  constructor(files: Files, earlier: EarlierIds | null) {
    this.#files = files
    this.#earlier = earlier
  }

  async bury({ document, change }: Tombstone): Promise<void> {
    if (this.#earlier === null) await this.#files.tombstones?.write({ document, change, chunks: null })
    else this.#tombstones.set(document, change)
  }

  async add(document: SourceKey, chunks: readonly string[]): Promise<void> {
    if (this.#files.ids === null) return
    const known = this.#written.get(document)
    if (this.#earlier === null) await this.#files.ids.write({ document, chunks })
    else if (known === undefined) this.#written.set(document, [...chunks])
    else for (const id of chunks) known.push(id)
  }

  /** @throws {SetupError} where the earlier file is not as its manifest says */
  async finish(): Promise<void> {
    const { ids, tombstones } = this.#files
    if (this.#earlier === null || ids === null || tombstones === null) return
    const left = new Set(this.#tombstones.keys())
    for await (const { document, chunks } of earlierLines(this.#earlier)) {
      const change = this.#tombstones.get(document)
      if (change === undefined) {
        await ids.write({ document, chunks })
        continue
      }
      left.delete(document)
      const now = new Set(this.#written.get(document))
      await tombstones.write({ document, change, chunks: chunks.filter((id) => !now.has(id)) })
    }
    for (const document of left)
      await tombstones.write({ document, change: this.#tombstones.get(document), chunks: [] })
    for (const [document, chunks] of this.#written) await ids.write({ document, chunks })
  }
}

async function* earlierLines({ folder, file }: EarlierIds): AsyncGenerator<DocumentIds> {
  const path = join(folder, IDS_FILE)
  const hash = createHash('sha256')
  try {
    const bytes = createReadStream(path)
    bytes.on('data', (chunk) => hash.update(chunk))
    for await (const line of createInterface({ input: bytes })) yield JSON.parse(line) as DocumentIds
  } catch (error) {
    throw new SetupError(`${path} cannot be read: export everything once`, { cause: error })
  }
  if (hash.digest('hex') !== file.sha256) {
    throw new SetupError(`${path} is not what its manifest says: export everything once`)
  }
}
