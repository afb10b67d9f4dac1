import type { Span } from '#src/corpus/chunks/chunk.ts'
import { chunksOf, exclusionsOf } from '#src/corpus/chunks/chunk-document.ts'
import type { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { type FigureOptions, withImages } from '#src/corpus/figures/add-images.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { chunkLimit, withContext } from './add-context.ts'
import { type ChunkLine, ChunkLines } from './chunk-line.ts'
import type { ExportOptions } from './export-options.ts'
import { readAhead } from './read-ahead.ts'
import type { ReadDocument } from './read-document.ts'

/** What an export writes, in its order: the chunks of a document, then its line of `documents.jsonl`. */
export type ExportRow =
  | { readonly kind: 'chunk'; readonly line: ChunkLine }
  | { readonly kind: 'document'; readonly line: object; readonly chunks: number; readonly leftOut: number }
  /** Of chunks of the document whose line comes next. */
  | { readonly kind: 'ids'; readonly document: SourceKey; readonly chunks: readonly string[] }
  | { readonly kind: 'without_markdown' }
  | { readonly kind: 'damaged'; readonly record: DocumentRecord }

/** Ids that are passed on at a time. */
const IDS_AT_ONCE = 10_000

/** Chunks whose contexts are awaited while earlier ones are written. */
const CONTEXTS_AHEAD = 64

type Options = Pick<ExportOptions, 'counter' | 'limit' | 'overlap' | 'pages' | 'where' | 'context'> & {
  readonly figures: FigureOptions | null
}

/** A chunk with the document that a model is shown. */
type Pending = {
  readonly row: ExportRow
  readonly document: (Pick<DocumentRecord, 'contentHash'> & { readonly markdown: string }) | null
}

export async function* exportRows(
  documents: AsyncIterable<ReadDocument>,
  hygiene: HygieneReader | null,
  options: Options,
): AsyncGenerator<ExportRow> {
  const pending = pendingRows(documents, hygiene, options)
  const { context } = options
  if (context === null) for await (const { row } of pending) yield row
  else yield* readAhead(pending, async (each) => completed(each, context, options), CONTEXTS_AHEAD)
}

async function completed(
  { row, document }: Pending,
  context: NonNullable<Options['context']>,
  options: Options,
): Promise<ExportRow> {
  if (row.kind !== 'chunk' || document === null) return row
  return { kind: 'chunk', line: await withContext(row.line, document, context, options) }
}

type Read = Extract<ReadDocument, { kind: 'read' }>

async function* pendingRows(
  documents: AsyncIterable<ReadDocument>,
  hygiene: HygieneReader | null,
  options: Options,
): AsyncGenerator<Pending> {
  const { figures } = options
  if (figures === null) {
    for await (const found of documents)
      yield* found.kind === 'read' ? rowsOf(found, divided(found, hygiene, options)) : withoutChunks(found)
    return
  }
  // The documents that are drawn at the same time are in memory with all their lines.
  const drawn = async (found: ReadDocument): Promise<Iterable<Pending>> =>
    found.kind === 'read'
      ? rowsOf(found, await withImages([...divided(found, hygiene, options)], found, figures))
      : withoutChunks(found)
  for await (const rows of readAhead(documents, drawn, figures.images.parallel)) yield* rows
}

function* withoutChunks(found: Exclude<ReadDocument, Read>): Generator<Pending> {
  if (found.kind === 'no_markdown') yield { row: { kind: 'without_markdown' }, document: null }
  else if (found.kind === 'damaged') yield { row: { kind: 'damaged', record: found.record }, document: null }
}

/** A chunk, and whether `--where` takes it. */
interface DividedLine {
  readonly line: ChunkLine
  readonly isWanted: boolean
}

function* divided(
  { record, document }: Read,
  hygiene: HygieneReader | null,
  { counter, limit, overlap, pages = false, where, context }: Options,
): Generator<DividedLine> {
  const lines = new ChunkLines(record, document.markdown, hygiene)
  for (const chunk of chunksOf(document, { counter, overlap, pages, limit: chunkLimit(limit, context) })) {
    const line = lines.of(chunk)
    yield { line, isWanted: where?.(line) !== false }
  }
}

function* rowsOf({ record, document }: Read, lines: Iterable<DividedLine>): Generator<Pending> {
  const shown = { markdown: document.markdown, contentHash: record.contentHash }
  const spans: Span[] = []
  let leftOut = 0
  let ids: string[] = []
  for (const { line, isWanted } of lines) {
    spans.push(line.markdownSpan)
    if (!isWanted) {
      leftOut += 1
      continue
    }
    yield { row: { kind: 'chunk', line }, document: shown }
    if (ids.push(line.id) < IDS_AT_ONCE) continue
    yield { row: { kind: 'ids', document: record.key, chunks: ids }, document: null }
    ids = []
  }
  if (ids.length > 0) yield { row: { kind: 'ids', document: record.key, chunks: ids }, document: null }
  const line = documentLine(record, document.markdown, spans, leftOut)
  yield { row: { kind: 'document', line, chunks: spans.length - leftOut, leftOut }, document: null }
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
