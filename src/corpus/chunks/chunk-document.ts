import type { Chunk, ChunkableDocument, ChunkedDocument, ChunkOptions, Exclusion, Span, TableRows } from './chunk.ts'
import { Citations } from './citations.ts'
import { PAGE_MARKER } from './markdown-lines.ts'
import { outlineOf, piecesByPage } from './outline.ts'
import { ChunkPacker, type PackedChunk } from './pack.ts'
import { NO_ROW, type Piece } from './piece.ts'

/**
 * Divides a document into chunks along its headings and blocks.
 *
 * - The bodies of the chunks, in order, and the exclusions partition `markdown`: every character is in exactly one.
 * - `text` is context and body, and has at most `limit` tokens. Context is shortened first. A single row, code line or
 *   word over the limit is cut between characters, and each part is `oversize`.
 * - Deterministic: the same document and options give the same chunks.
 */
export function chunkDocument(document: ChunkableDocument, options: ChunkOptions): ChunkedDocument {
  const chunks = [...chunksOf(document, options)]
  const spans = chunks.map(({ span }) => span)
  return { chunks, exclusions: exclusionsOf(document.markdown, spans) }
}

/** Like `chunkDocument`, as a stream: a large document's chunks are never in memory together. */
export function* chunksOf(document: ChunkableDocument, options: ChunkOptions): Generator<Chunk> {
  const { markdown } = document
  const whole = outlineOf(document)
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
  const content = pieces.find(({ own }) => own !== null) ?? pieces.find(({ kind }) => kind !== 'heading') ?? pieces[0]
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

/** Lists the text between the sorted bodies: white space, page markers, marks of blank lines in quotes. */
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

/** Markers before a row in a list or a quote; a row outside of them has none. */
const CONTAINERS = /^(?:[\s>]|(?:[-*+]|\d{1,9}[.)])\s)*/

/** Parses the cells of a GFM table row, without surrounding white space and escapes. */
function cellsOf(row: string): readonly string[] {
  const line = (row.startsWith('|') ? row : row.replace(CONTAINERS, '')).trimEnd()
  const escapes = line.includes('\\')
  const cells: string[] = []
  let from = line.startsWith('|') ? 1 : 0
  for (let at = pipeAfter(line, from, escapes); at !== -1; at = pipeAfter(line, from, escapes)) {
    cells.push(cellOf(line, from, at, escapes))
    from = at + 1
  }
  if (from < line.length || cells.length === 0) cells.push(cellOf(line, from, line.length, escapes))
  return cells
}

/** Index of the next unescaped pipe, or -1. */
function pipeAfter(line: string, from: number, escapes: boolean): number {
  let at = line.indexOf('|', from)
  if (!escapes) return at
  while (at > 0 && line[at - 1] === '\\') at = line.indexOf('|', at + 1)
  return at
}

function cellOf(line: string, from: number, end: number, escapes: boolean): string {
  const cell = line.slice(from, end).trim()
  return escapes ? cell.replaceAll('\\|', '|') : cell
}

/** Rows of a chunk's pieces; null if they are not a table, or one of them is cut. */
function tableRows(text: string, pieces: readonly Piece[]): TableRows | null {
  const ofTables = pieces.filter((piece) => piece.own?.kind === 'table')
  const parts = ofTables.filter(({ row }) => row !== NO_ROW)
  const [first] = parts
  if (first === undefined || parts.some(({ row }) => row < 0)) return null
  const lines = parts.flatMap((piece) => {
    const all = text.slice(piece.start, piece.end).split('\n')
    return piece.kind === 'table' ? all.slice(2) : all
  })
  const above = first.kind === 'table' ? text.slice(first.start, first.end) : first.repeat
  const header = cellsOf(above.split('\n', 1)[0] ?? '')
  const rows = lines.filter((line) => line.trim() !== '').map((line) => fitted(cellsOf(line), header.length))
  return { header, rows, firstRow: first.row + 1 }
}

/** Pads or truncates a row to the cells of the header, as GFM does. */
const fitted = (cells: readonly string[], columns: number): readonly string[] =>
  cells.length === columns ? cells : Array.from({ length: columns }, (_, index) => cells[index] ?? '')
