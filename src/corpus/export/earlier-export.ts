import type { ChunkLine } from './chunk-line.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SetupError } from '#src/document/setup-error.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { ExportManifest, ExportedFile, RowsFile } from './export-manifest.ts'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Tombstone } from './select-documents.ts'

/** Start of an incremental export: after a cursor, or after an earlier export. */
export interface Since {
  readonly cursor: string
  /** Documents that the earlier export could not read. */
  readonly again: readonly SourceKey[]
  /** Chunks of the earlier export and those before it; null if unknown. */
  readonly ids: EarlierIds | null
}

type Same = Pick<ExportManifest, 'tokenizer' | 'limit' | 'overlap' | 'filter' | 'context' | 'figures'>

/**
 * Resolves `--since`: a cursor, or the folder of an earlier export.
 *
 * @throws {SetupError} if the earlier export has no cursor, or different chunk options
 */
export async function readSince(since: string, wanted: Same): Promise<Since> {
  if (/^[0-9a-f]{8}\.\d+$/.test(since)) return { cursor: since, again: [], ids: null }
  const manifest = await readManifest(since)
  const cursor = manifest.cursor ?? null
  if (cursor === null) {
    throw new SetupError(`the export in ${since} has no cursor: start again with a full export, without --since`)
  }
  for (const name of ['tokenizer', 'limit', 'overlap', 'filter', 'context', 'figures'] as const) {
    const [before, now] = [JSON.stringify(manifest[name] ?? null), JSON.stringify(wanted[name] ?? null)]
    if (before !== now) {
      throw new SetupError(
        `the export in ${since} was made with ${name} ${before}, not ${now}: give the same options, or start again with a full export, without --since`,
      )
    }
  }
  const file = manifest.files.find(({ name }) => name === IDS_FILE)
  const ids = file === undefined ? null : { folder: since, file }
  return { cursor, again: manifest.damagedDocuments ?? [], ids }
}

async function readManifest(folder: string): Promise<ExportManifest> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as ExportManifest
    if (manifest.kind === 'chunks') return manifest
  } catch (error) {
    throw new SetupError(`--since takes a cursor or the folder of an export: ${folder} has no manifest.json`, {
      cause: error,
    })
  }
  throw new SetupError(`--since ${folder} is not an export of chunks`)
}

/** File of an export that names the chunks of each document, including those of earlier exports. */
export const IDS_FILE = 'ids.jsonl'

/** Number of ids per line. */
const IDS_AT_ONCE = 10_000

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
  /** Null if the ids of earlier exports are unknown. */
  readonly ids: RowsFile | null
  /** Null for a full export. */
  readonly tombstones: RowsFile | null
}

/**
 * Tracks the chunks that a reader of the exports has, so that a tombstone names the deleted ones. A full export streams
 * the ids. An incremental one holds the ids of changed documents in memory, and streams the others from the earlier
 * file.
 */
export class ChunkIds {
  readonly #files: Files
  readonly #earlier: EarlierIds | null
  readonly #tombstones = new Map<SourceKey, Tombstone['change']>()
  readonly #written = new Map<SourceKey, string[]>()
  /** In a full export: the current document, and its unwritten chunks. */
  #document: SourceKey | null = null
  #chunks: string[] = []

  constructor(files: Files, earlier: EarlierIds | null) {
    this.#files = files
    this.#earlier = earlier
  }

  async addTombstones({ document, change }: Tombstone): Promise<void> {
    if (this.#earlier === null) await this.#files.tombstones?.write({ document, change, chunks: null })
    else this.#tombstones.set(document, change)
  }

  async add({ document, id }: Pick<ChunkLine, 'document' | 'id'>): Promise<void> {
    if (this.#files.ids === null) return
    if (this.#earlier === null) {
      if (document !== this.#document || this.#chunks.length >= IDS_AT_ONCE) await this.#writeChunks()
      this.#document = document
      this.#chunks.push(id)
      return
    }
    const known = this.#written.get(document)
    if (known === undefined) this.#written.set(document, [id])
    else known.push(id)
  }

  async #writeChunks(): Promise<void> {
    const { ids } = this.#files
    if (this.#chunks.length > 0) await ids?.write({ document: this.#document, chunks: this.#chunks })
    this.#chunks = []
  }

  /** @throws {SetupError} if the earlier file differs from its manifest */
  async finish(): Promise<void> {
    await this.#writeChunks()
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
    throw new SetupError(`${path} cannot be read: start again with a full export, without --since`, { cause: error })
  }
  if (hash.digest('hex') !== file.sha256) {
    throw new SetupError(
      `${path} does not match the digest in its manifest: start again with a full export, without --since`,
    )
  }
}
