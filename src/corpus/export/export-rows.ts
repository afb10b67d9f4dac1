import type { Span } from '#src/corpus/chunks/chunk.ts'
import { chunksOf, exclusionsOf } from '#src/corpus/chunks/chunk-document.ts'
import type { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { type FigureOptions, withImages } from '#src/corpus/figures/add-images.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
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

type Options = Pick<ExportOptions, 'counter' | 'limit' | 'overlap' | 'pages' | 'where'> & {
  readonly figures: FigureOptions | null
}

type Read = Extract<ReadDocument, { kind: 'read' }>

export async function* exportRows(
  documents: AsyncIterable<ReadDocument>,
  hygiene: HygieneReader | null,
  options: Options,
): AsyncGenerator<ExportRow> {
  const { figures } = options
  if (figures === null) {
    for await (const found of documents)
      yield* found.kind === 'read' ? rowsOf(found, divided(found, hygiene, options)) : withoutChunks(found)
    return
  }
  // The documents that are drawn at the same time are in memory with all their lines.
  const drawn = async (found: ReadDocument): Promise<Iterable<ExportRow>> =>
    found.kind === 'read'
      ? rowsOf(found, await withImages([...divided(found, hygiene, options)], found, figures))
      : withoutChunks(found)
  for await (const rows of readAhead(documents, drawn, figures.images.parallel)) yield* rows
}

function* withoutChunks(found: Exclude<ReadDocument, Read>): Generator<ExportRow> {
  if (found.kind === 'no_markdown') yield { kind: 'without_markdown' }
  else if (found.kind === 'damaged') yield { kind: 'damaged', record: found.record }
}

/** A chunk, and whether `--where` takes it. */
interface DividedLine {
  readonly line: ChunkLine
  readonly isWanted: boolean
}

function* divided(
  { record, document }: Read,
  hygiene: HygieneReader | null,
  { counter, limit, overlap, pages = false, where }: Options,
): Generator<DividedLine> {
  const lines = new ChunkLines(record, document.markdown, hygiene)
  for (const chunk of chunksOf(document, { counter, overlap, pages, limit })) {
    const line = lines.of(chunk)
    yield { line, isWanted: where?.(line) !== false }
  }
}

function* rowsOf({ record, document }: Read, lines: Iterable<DividedLine>): Generator<ExportRow> {
  const spans: Span[] = []
  let leftOut = 0
  let ids: string[] = []
  for (const { line, isWanted } of lines) {
    spans.push(line.markdownSpan)
    if (!isWanted) {
      leftOut += 1
      continue
    }
    yield { kind: 'chunk', line }
    if (ids.push(line.id) < IDS_AT_ONCE) continue
    yield { kind: 'ids', document: record.key, chunks: ids }
    ids = []
  }
  if (ids.length > 0) yield { kind: 'ids', document: record.key, chunks: ids }
  const line = documentLine(record, document.markdown, spans, leftOut)
  yield { kind: 'document', line, chunks: spans.length - leftOut, leftOut }
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
