import type { ChunkOptions, Span } from '#src/corpus/chunks/chunk.ts'
import { chunksOf, exclusionsOf } from '#src/corpus/chunks/chunk-document.ts'
import { cursorText } from '#src/corpus/feed/change-log.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports.ts'
import { type ChunkLine, ChunkLines } from './chunk-line.ts'
import { readSince, type Since } from './earlier-export.ts'
import { ExportFolder } from './export-folder.ts'
import type { ExportManifest } from './export-manifest.ts'
import { emptyTally, type ExportTally } from './export-tally.ts'
import type { ExportedFile } from './exported-file.ts'
import { refuseStorePlaces } from './outside-store.ts'
import { readAhead } from './read-ahead.ts'
import { readDocument, type ReadDocument } from './read-document.ts'
import { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { langChainLine, llamaIndexLine } from './shapes.ts'
import type { ChunkTest } from './where.ts'
import { changedRecords, type ExportFilter, type FeedRange, wantedRecords } from './select-documents.ts'

/** Of the chunks: `langchain` and `llamaindex` are JSON lines in the shape of their documents. `documents.jsonl` is the same in all. */
export const EXPORT_FORMATS = ['jsonl', 'parquet', 'langchain', 'llamaindex'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const ROWS: Readonly<Record<ExportFormat, (line: ChunkLine) => object>> = {
  jsonl: (line) => line,
  parquet: (line) => line,
  langchain: langChainLine,
  llamaindex: llamaIndexLine,
}

export interface ExportOptions extends ChunkOptions {
  /** Folder that is written; an export that is there is replaced as a whole. */
  readonly to: string
  readonly format: ExportFormat
  readonly filter: ExportFilter
  /** Goes into the manifest: the filter in words of the caller. */
  readonly filterText: Readonly<Record<string, unknown>>
  /** Cursor, or folder of an earlier export: only documents that changed since then. Null for all. */
  readonly since: string | null
  /** Whether language, duplicates, quality and personal data are told of each chunk; else those columns are null. */
  readonly hygiene: boolean
  /** Chunks that it does not hold for are left out. */
  readonly where: ChunkTest | null
}

/** Documents that are read while others are divided. */
const AHEAD = 8

/**
 * Writes the chunks of a store's documents, without a request: `chunks.jsonl` or `chunks.parquet`, `documents.jsonl`, `manifest.json`; with `since` also
 * `tombstones.jsonl`. Memory does not grow with the text of the documents. The folder is complete or as it was before.
 *
 * @throws {SetupError} where the folder holds something else than an export, or belongs to the store; for a cursor that is none
 */
export async function exportChunks(
  store: OutputStore,
  options: ExportOptions,
  progress: (tally: Readonly<ExportTally>) => void,
  signal: AbortSignal,
): Promise<ExportTally> {
  await refuseStorePlaces(options.to, store.url)
  const since = options.since === null ? null : await readSince(options.since, settingsOf(options))
  await using folder = await ExportFolder.open(options.to)
  const [chunks, documents] = [
    await folder.create(options.format === 'parquet' ? 'chunks.parquet' : 'chunks.jsonl'),
    await folder.create('documents.jsonl'),
  ]
  const tombstones = since === null ? null : await folder.create('tombstones.jsonl')
  const tally = emptyTally()
  const range = await rangeOf(store, since, tally, signal)
  const records =
    range === null || tombstones === null
      ? wantedRecords(store, options.filter, tally, signal)
      : changedRecords(store, range, options.filter, tally, async (line) => tombstones.write(line))
  const hygiene = options.hygiene ? await HygieneReader.open() : null
  for await (const found of readAhead(records, async (record) => readDocument(store, record), AHEAD)) {
    signal.throwIfAborted()
    if (found.kind === 'removed') continue
    if (found.kind === 'no_markdown') tally.withoutMarkdown += 1
    else if (found.kind === 'damaged') tally.damaged.push({ kind: 'files', key: found.record.key })
    else {
      const lines = new ChunkLines(found.record, hygiene)
      const written = await writeChunks(found, { ...options, lines }, tally, async (line) => chunks.write(line))
      await documents.write(written)
    }
    progress(tally)
  }
  const files = [
    await chunks.close(),
    await documents.close(),
    ...(tombstones === null ? [] : [await tombstones.close()]),
  ]
  const storeId = (await store.readManifest())?.id ?? null
  await folder.publish(manifestOf(options, { storeId, since }, tally, files))
  return tally
}

/**
 * The cursor is taken before the first document is read: what changes from then on comes again with the next export. A store
 * that cannot be written has no feed; then a whole export has no cursor.
 */
async function rangeOf(
  store: OutputStore,
  since: Since | null,
  tally: ExportTally,
  signal: AbortSignal,
): Promise<FeedRange | null> {
  try {
    const { log, cursor } = await updateFeed(store, signal)
    tally.cursor = cursorText(cursor)
    if (since === null) return null
    return { log, since: log.cursor(since.cursor).segments, until: cursor.segments, again: since.again }
  } catch (error) {
    if (since !== null || signal.aborted) throw error
    tally.cursorProblem = error instanceof Error ? error.message : String(error)
    return null
  }
}

/** Answers the line of `documents.jsonl`. */
async function writeChunks(
  { record, document }: Extract<ReadDocument, { kind: 'read' }>,
  { lines, ...options }: ExportOptions & { readonly lines: ChunkLines },
  tally: ExportTally,
  write: (line: object) => Promise<void>,
): Promise<object> {
  const spans: Span[] = []
  let left = 0
  for (const chunk of chunksOf(document, options)) {
    spans.push(chunk.span)
    const line = lines.of(chunk)
    if (options.where?.(line) === false) {
      left += 1
      continue
    }
    tally.tokens += chunk.tokens
    if (chunk.oversize) tally.oversize += 1
    await write(ROWS[options.format](line))
  }
  tally.documents += 1
  tally.chunks += spans.length - left
  tally.chunksLeftOut += left
  return documentLine(record, document.markdown, spans, left)
}

function documentLine(record: DocumentRecord, markdown: string, spans: readonly Span[], left: number): object {
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
    characters: markdown.length,
    chunks: spans.length - left,
    chunksLeftOut: left,
    exclusions: exclusionsOf(markdown, spans).map(({ reason, span }) => ({ reason, markdownSpan: span })),
  }
}

const settingsOf = ({ counter, limit, overlap, filterText }: ExportOptions) => ({
  tokenizer: counter.name,
  limit,
  overlap,
  filter: filterText,
})

function manifestOf(
  options: ExportOptions,
  { storeId, since }: { readonly storeId: string | null; readonly since: Since | null },
  tally: ExportTally,
  files: readonly ExportedFile[],
): ExportManifest {
  const { damaged, cursor, cursorProblem: _, ...totals } = tally
  return {
    format: 1,
    kind: 'chunks',
    shape: options.format === 'langchain' || options.format === 'llamaindex' ? options.format : 'sluice',
    storeId,
    since: since?.cursor ?? null,
    cursor,
    ...settingsOf(options),
    totals: { ...totals, damaged: damaged.length },
    damagedDocuments: damaged.flatMap((damage) => (damage.kind === 'files' ? [damage.key] : [])),
    files,
  }
}
