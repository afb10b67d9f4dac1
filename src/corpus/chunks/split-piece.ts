import { assertNever } from '#src/kit/assert-never.ts'
import { isListItem, type Line, lineAfter, lineAt } from './markdown-lines.ts'
import { nestedBlocks, repeatedLine } from './nested-blocks.ts'
import { NO_ROW, type Piece } from './piece.ts'
import { characterRanges, sentenceRanges, wordRanges } from './split-text.ts'

/** Splits a piece that does not fit into at least two parts in order; null for one character. */
export function splitPiece(text: string, piece: Piece, limit: number): readonly Piece[] | null {
  switch (piece.kind) {
    case 'page':
    case 'section':
      return piece.children
    case 'table':
      return rowsOf(text, piece)
    case 'code':
      return codeLinesOf(text, piece)
    case 'list':
      return itemsOf(text, piece) ?? blocksOf(text, piece) ?? sentencesOf(text, piece)
    case 'quote':
      return blocksOf(text, piece) ?? sentencesOf(text, piece)
    case 'heading':
    case 'prose':
      return sentencesOf(text, piece)
    case 'sentence':
    case 'line':
      return wordsOf(text, piece) ?? charactersOf(text, piece, limit)
    case 'word':
      return charactersOf(text, piece, limit)
    default:
      return assertNever(piece.kind)
  }
}

const part = (piece: Piece, kind: Piece['kind'], start: number, end: number): Piece => ({
  ...piece,
  kind,
  start,
  end,
  row: -1,
  children: [],
  holdsOwn: false,
  keepNext: false,
})

function linesOf(text: string, { start, end }: Piece): readonly Line[] {
  const lines: Line[] = []
  for (let line = lineAt(text, start); line !== null && line.start < end; line = lineAfter(text, line)) {
    if (!line.isBlank) lines.push({ ...line, start: Math.max(line.start, start), end: Math.min(line.end, end) })
  }
  return lines
}

/** The header stays with the first row, and is repeated above each later one. */
function rowsOf(text: string, piece: Piece): readonly Piece[] {
  const [header, delimiter, ...rows] = linesOf(text, piece)
  const [first] = rows
  if (header === undefined || delimiter === undefined) return wordsOf(text, piece) ?? []
  if (first === undefined) return [header, delimiter].map(({ start, end }) => part(piece, 'line', start, end))
  const repeat = [header, delimiter].map((line) => withoutPadding(repeatedLine(text, line))).join('\n')
  // Merged with the first row: a table of one row. If that does not fit either, it is split into lines.
  if (rows.length === 1) {
    const head = { ...part(piece, 'line', header.start, delimiter.end), repeat: '', row: NO_ROW, keepNext: true }
    return [head, rowPiece(piece, first, 0, repeat)]
  }
  const head = { ...part(piece, 'table', header.start, first.end), row: 0 }
  return [head, ...rows.slice(1).map((row, index) => rowPiece(piece, row, index + 1, repeat))]
}

/** Removes padding: the header is aligned with its own rows, not with those of the chunk. */
function withoutPadding(line: string): string {
  if (!/\s{2}|-{4}/.test(line)) return line
  const isDelimiter = /^[\s>|:-]+$/.test(line)
  const short = isDelimiter ? line.replaceAll(/-{4,}/g, '---') : line
  return short.replaceAll(/\s*(?<!\\)\|\s*/g, ' | ').trim()
}

/** Removes the indent of a table row in a list: below the repeated header it would turn the row into code. */
const rowPiece = (piece: Piece, line: Line, row: number, repeat: string): Piece => ({
  ...part(piece, 'line', Math.max(line.text, line.start), line.end),
  repeat,
  row,
  rowStart: Math.max(line.text, line.start),
})

/** The first line of code stays with its fence, the closing fence with the last. */
function codeLinesOf(text: string, piece: Piece): readonly Piece[] | null {
  const lines = linesOf(text, piece)
  const [first, second] = lines
  const [last, beforeLast] = [lines.at(-1), lines.at(-2)]
  if (first === undefined || second === undefined || last === undefined || beforeLast === undefined) {
    return wordsOf(text, { ...piece, kind: 'line' })
  }
  const isWhole = piece.repeat === ''
  const repeat = isWhole ? repeatedLine(text, first) : piece.repeat
  const asLine = ({ start, end }: Line, index: number): Piece => ({
    ...part(piece, 'line', start, end),
    repeat: isWhole && index === 0 ? '' : repeat,
  })
  if (lines.length < 4 || !isWhole) return lines.map(asLine)
  return [
    { ...part(piece, 'code', first.start, second.end), repeat: '' },
    ...lines.slice(2, -2).map((line, index) => asLine(line, index + 2)),
    { ...part(piece, 'code', beforeLast.start, last.end), repeat },
  ]
}

/**
 * Splits into items of the least indent; null for a single item without nested ones. A single item repeats above each
 * part of its list.
 */
function itemsOf(text: string, piece: Piece): readonly Piece[] | null {
  const lines = linesOf(text, piece)
  const inner = nestedBlocks(text, piece).filter(({ kind }) => kind === 'table' || kind === 'code')
  const isItem = (line: Line): boolean =>
    isListItem(text, line) && !inner.some(({ start, end }) => start < line.start && line.start < end)
  const items = lines.filter((line, index) => index > 0 && isItem(line))
  if (items.length === 0) return null
  const indentOf = (line: Line): number => line.text - lineStart(text, line.text)
  const least = Math.min(...items.map(indentOf))
  const [outer] = lines as [Line]
  const starts = [outer, ...items.filter((line) => indentOf(line) === least)]
  const isNested = isItem(outer) && indentOf(outer) < least
  const above = isNested ? text.slice(lineStart(text, outer.text), outer.end).trimEnd() : ''
  const repeat = [piece.repeat, above].filter((line) => line !== '').join('\n')
  return starts.map((line, index) => {
    const next = starts[index + 1]
    const last = lines.findLast(({ start }) => next === undefined || start < next.start) ?? line
    const item = part(piece, 'list', line.start, last.end)
    return index === 0 ? item : { ...item, repeat }
  })
}

/** Splits tables and code in a list item or a quote into pieces; null for a single paragraph. */
function blocksOf(text: string, piece: Piece): readonly Piece[] | null {
  const blocks = nestedBlocks(text, piece)
  if (blocks.length < 2 && blocks.every(({ kind }) => kind === 'prose' || kind === 'item')) return null
  return blocks.map(({ kind, start, end }) => {
    if (kind === 'prose' || kind === 'item') return part(piece, 'prose', start, end)
    const inner = { ...part(piece, kind, start, end), repeat: '' }
    return kind === 'table' ? { ...inner, own: { kind, at: start }, row: 0 } : inner
  })
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

function sentencesOf(text: string, piece: Piece): readonly Piece[] | null {
  const sentences = sentenceRanges(text, piece.start, piece.end)
  if (sentences.length < 2) return wordsOf(text, piece) ?? charactersOf(text, piece, 0)
  return sentences.map(([start, end]) => part(piece, 'sentence', start, end))
}

function wordsOf(text: string, piece: Piece): readonly Piece[] | null {
  const words = wordRanges(text, piece.start, piece.end)
  const [first] = words
  if (first === undefined) return null
  // A single word without the white space around it is shorter than the piece.
  if (words.length === 1 && first[1] - first[0] === piece.end - piece.start) return null
  const oversize = piece.oversize || piece.kind === 'line'
  return words.map(([start, end]) => ({ ...part(piece, 'word', start, end), oversize }))
}

/** Splits into parts of a quarter of the limit: in nearly every tokenizer a character has at most four tokens. */
function charactersOf(text: string, piece: Piece, limit: number): readonly Piece[] | null {
  const size = Math.max(1, Math.min(Math.floor(limit / 4), Math.floor((piece.end - piece.start) / 2)))
  const ranges = characterRanges(text, piece.start, piece.end, size)
  if (ranges.length < 2) return null
  return ranges.map(([start, end]) => ({ ...part(piece, 'word', start, end), oversize: true }))
}
