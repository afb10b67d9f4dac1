import type { Span } from '#src/corpus/chunks/chunk.ts'
import { chunksOf, exclusionsOf } from '#src/corpus/chunks/chunk-document.ts'
import type { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { type DividedLine, type FigureOptions, withImages } from './add-images.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { type ChunkLine, ChunkLines } from './chunk-line.ts'
import type { ExportOptions } from './export-options.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import type { ReadDocument } from './read-document.ts'

/** Row of an export, in order: the chunks of a document, then its line of `documents.jsonl`. */
export type ExportRow =
  | { readonly kind: 'chunk'; readonly line: ChunkLine }
  | { readonly kind: 'document'; readonly line: object; readonly chunks: number; readonly leftOut: number }
  | { readonly kind: 'without-markdown' }
  | { readonly kind: 'damaged'; readonly record: DocumentRecord }

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
  const rowsFor = async (found: ReadDocument): Promise<Iterable<ExportRow>> => {
    if (found.kind !== 'read') return withoutChunks(found)
    const lines = divided(found, hygiene, options)
    return rowsOf(found, figures === null ? lines : await withImages([...lines], found, figures), hygiene)
  }
  // With images, the documents that are drawn concurrently are in memory with all their lines.
  for await (const rows of mapInOrder(documents, figures?.images.parallel ?? 1, rowsFor)) yield* rows
}

function* withoutChunks(found: Exclude<ReadDocument, Read>): Generator<ExportRow> {
  if (found.kind === 'no-markdown') yield { kind: 'without-markdown' }
  else if (found.kind === 'damaged') yield { kind: 'damaged', record: found.record }
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

function* rowsOf(
  { record, document: { markdown } }: Read,
  lines: Iterable<DividedLine>,
  hygiene: HygieneReader | null,
): Generator<ExportRow> {
  const spans: Span[] = []
  let leftOut = 0
  for (const { line, isWanted } of lines) {
    spans.push(line.markdownSpan)
    if (isWanted) yield { kind: 'chunk', line }
    else leftOut += 1
  }
  const duplicateOf = hygiene?.duplicateDocument(record.key, markdown) ?? null
  const line = { ...documentLine(record, markdown, spans, leftOut), duplicateOf }
  yield { kind: 'document', line, chunks: spans.length - leftOut, leftOut }
}

function documentLine(record: DocumentRecord, markdown: string, spans: readonly Span[], left: number): object {
  const { key, source, contentHash, outcome, problems, pages, files, metadata = {}, goneAt = null } = record
  return {
    document: key,
    source,
    contentHash,
    metadata,
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
