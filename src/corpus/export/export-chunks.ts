import type { ChunkOptions, Span } from '#src/corpus/chunks/chunk.ts'
import { chunksOf, exclusionsOf } from '#src/corpus/chunks/chunk-document.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports.ts'
import { ChunkLines } from './chunk-line.ts'
import { ExportFolder } from './export-folder.ts'
import type { ExportedFile } from './exported-file.ts'
import { refuseStorePlaces } from './outside-store.ts'
import { readAhead } from './read-ahead.ts'
import { readDocument, type ReadDocument } from './read-document.ts'

/** Of the chunks; `documents.jsonl` is JSON lines always. */
export const EXPORT_FORMATS = ['jsonl', 'parquet'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface ExportOptions extends ChunkOptions {
  /** Folder that is written; an export that is there is replaced as a whole. */
  readonly to: string
  readonly format: ExportFormat
  readonly filter: ExportFilter
  /** Goes into the manifest: the filter in words of the caller. */
  readonly filterText: Readonly<Record<string, unknown>>
}

export interface ExportFilter {
  readonly key: (key: SourceKey) => boolean
  readonly outcome: DocumentRecord['outcome'] | null
  /** Whether documents that are gone from their source are exported. */
  readonly gone: boolean
}

export interface ExportTally {
  documents: number
  chunks: number
  tokens: number
  oversize: number
  /** Documents that are left out: parsed without Markdown; gone from their source; outside of the filter. */
  withoutMarkdown: number
  gone: number
  filtered: number
  damaged: Damage[]
}

/** Files that are not what their record says, or a place in the store whose `record.json` cannot be read. */
export type Damage =
  | { readonly kind: 'files'; readonly key: SourceKey }
  | { readonly kind: 'record'; readonly place: string }

/** `manifest.json` of an export (docs/schemas/export-manifest.schema.json): written last. */
export interface ExportManifest {
  readonly format: 1
  readonly kind: 'chunks'
  readonly storeId: string | null
  readonly tokenizer: string
  readonly limit: number
  readonly overlap: number
  readonly filter: Readonly<Record<string, unknown>>
  readonly totals: Omit<ExportTally, 'damaged'> & { readonly damaged: number }
  readonly files: readonly ExportedFile[]
}

/** Documents that are read while others are divided. */
const AHEAD = 8

/**
 * Writes the chunks of a store's documents, without a request: `chunks.jsonl` or `chunks.parquet`, `documents.jsonl`, `manifest.json`. Memory does
 * not grow with the number of documents. The folder is complete or as it was before.
 *
 * @throws {SetupError} where the folder holds something else than an export, or belongs to the store
 */
export async function exportChunks(
  store: OutputStore,
  options: ExportOptions,
  progress: (tally: Readonly<ExportTally>) => void,
  signal: AbortSignal,
): Promise<ExportTally> {
  await refuseStorePlaces(options.to, store.url)
  await using folder = await ExportFolder.open(options.to)
  const [chunks, documents] = [await folder.create(`chunks.${options.format}`), await folder.create('documents.jsonl')]
  const tally = emptyTally()
  const records = store.listRecords(signal, (place) => tally.damaged.push({ kind: 'record', place }))
  const wanted = selected(records, options.filter, tally)
  for await (const found of readAhead(wanted, async (record) => readDocument(store, record), AHEAD)) {
    signal.throwIfAborted()
    if (found.kind === 'removed') continue
    if (found.kind === 'no_markdown') tally.withoutMarkdown += 1
    else if (found.kind === 'damaged') tally.damaged.push({ kind: 'files', key: found.record.key })
    else {
      const written = await writeChunks(found, options, tally, async (line) => chunks.write(line))
      await documents.write(written)
    }
    progress(tally)
  }
  const files = [await chunks.close(), await documents.close()]
  const storeId = (await store.readManifest())?.id ?? null
  await folder.publish(manifestOf(storeId, options, tally, files))
  return tally
}

const emptyTally = (): ExportTally => ({
  documents: 0,
  chunks: 0,
  tokens: 0,
  oversize: 0,
  withoutMarkdown: 0,
  gone: 0,
  filtered: 0,
  damaged: [],
})

async function* selected(
  records: AsyncIterable<DocumentRecord>,
  { key, outcome, gone }: ExportFilter,
  tally: ExportTally,
): AsyncGenerator<DocumentRecord> {
  for await (const record of records) {
    if (!key(record.key) || (outcome !== null && record.outcome !== outcome)) tally.filtered += 1
    else if (record.goneAt !== undefined && !gone) tally.gone += 1
    else yield record
  }
}

/** Answers the line of `documents.jsonl`. */
async function writeChunks(
  { record, document }: Extract<ReadDocument, { kind: 'read' }>,
  options: ChunkOptions,
  tally: ExportTally,
  write: (line: object) => Promise<void>,
): Promise<object> {
  const lines = new ChunkLines(record)
  const spans: Span[] = []
  for (const chunk of chunksOf(document, options)) {
    spans.push(chunk.span)
    tally.tokens += chunk.tokens
    if (chunk.oversize) tally.oversize += 1
    await write(lines.of(chunk))
  }
  tally.documents += 1
  tally.chunks += spans.length
  const excluded = exclusionsOf(document.markdown, spans)
  const { key, source, contentHash, outcome, problems, pages, files, goneAt = null } = record
  return {
    document: key,
    source,
    contentHash,
    outcome,
    problems,
    pages,
    grade: record.grade?.grade ?? null,
    goneAt,
    markdownSha256: files.find(({ name }) => name === 'document.md')?.sha256 ?? null,
    characters: document.markdown.length,
    chunks: spans.length,
    exclusions: excluded.map(({ reason, span }) => ({ reason, markdownSpan: span })),
  }
}

function manifestOf(
  storeId: string | null,
  { counter, limit, overlap, filterText }: ExportOptions,
  tally: ExportTally,
  files: readonly ExportedFile[],
): ExportManifest {
  const totals = { ...tally, damaged: tally.damaged.length }
  return {
    format: 1,
    kind: 'chunks',
    storeId,
    tokenizer: counter.name,
    limit,
    overlap,
    filter: filterText,
    totals,
    files,
  }
}
