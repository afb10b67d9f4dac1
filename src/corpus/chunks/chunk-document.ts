import type { Chunk, ChunkableDocument, ChunkedDocument, ChunkOptions, Exclusion, Span } from './chunk.ts'
import { Citations } from './citations.ts'
import { PAGE_MARKER } from './line-kinds.ts'
import { outlineOf } from './outline.ts'
import { piecesByPage } from './page-pieces.ts'
import { ChunkPacker, type PackedChunk } from './pack.ts'
import { tableRows } from './table-cells.ts'

/**
 * Divides a document into chunks along its headings and blocks.
 *
 * - The bodies of the chunks, in order, and the exclusions partition `markdown`: every character is in exactly one.
 * - `text` is context and body, and has at most `limit` tokens. Context is shortened first. A row, a code line or a word that
 *   alone exceeds the limit is cut between characters, and each part is `oversize`.
 * - The same document and options give the same chunks.
 */
export function chunkDocument(document: ChunkableDocument, options: ChunkOptions): ChunkedDocument {
  const chunks = [...chunksOf(document, options)]
  const spans = chunks.map(({ span }) => span)
  return { chunks, exclusions: exclusionsOf(document.markdown, spans) }
}

/** As `chunkDocument`, one chunk after the other: a large document's are never in memory together. */
export function* chunksOf(document: ChunkableDocument, options: ChunkOptions): Generator<Chunk> {
  const { markdown, blocks } = document
  const whole = outlineOf(markdown, blocks)
  const outline = options.pages === true ? { ...whole, pieces: piecesByPage(document, whole.pieces) } : whole
  const citations = new Citations(document)
  for (const packed of new ChunkPacker(markdown, outline, options).pack()) {
    yield chunkOf(markdown, packed, citations, outline.title?.text ?? null)
  }
}

function chunkOf(markdown: string, packed: PackedChunk, citations: Citations, title: string | null): Chunk {
  const { pieces, context, tokens, parts } = packed
  const span = [pieces[0]?.start ?? 0, pieces.at(-1)?.end ?? 0] as const
  const body = markdown.slice(span[0], span[1])
  const content = pieces.find(({ kind }) => kind !== 'heading') ?? pieces[0]
  return {
    kind: pieces.find(({ own }) => own !== null)?.own?.kind ?? 'text',
    text: context + body,
    body,
    span,
    tokens,
    oversize: pieces.some(({ oversize }) => oversize),
    title,
    headings: content?.headings ?? [],
    caption: content?.caption ?? parts.caption,
    ...citations.of(span),
    table: tableRows(markdown, pieces),
  }
}

/** What stands between the bodies, whose spans are in order: white space, page markers, marks of blank lines in quotes. */
export function exclusionsOf(markdown: string, bodies: readonly Span[]): readonly Exclusion[] {
  const exclusions: Exclusion[] = []
  let from = 0
  for (const [start, end] of [...bodies, [markdown.length, markdown.length] as const]) {
    if (start > from) exclusions.push(...namedParts(markdown, from, start))
    from = end
  }
  return exclusions
}

const MARKS = new RegExp(`${PAGE_MARKER.source}|>+`, 'g')

function namedParts(markdown: string, start: number, end: number): readonly Exclusion[] {
  const parts: Exclusion[] = []
  let from = start
  const whitespaceTo = (to: number): void => {
    if (to > from) parts.push({ reason: 'whitespace', span: [from, to] })
  }
  for (const { index, 0: mark } of markdown.slice(start, end).matchAll(MARKS)) {
    whitespaceTo(start + index)
    from = start + index + mark.length
    parts.push({ reason: mark.startsWith('>') ? 'quote_mark' : 'page_marker', span: [start + index, from] })
  }
  whitespaceTo(end)
  return parts
}
