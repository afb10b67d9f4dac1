import type { TableRows } from './chunk.ts'
import { HEADER_ROW, type Piece } from './piece.ts'

/** Before a row inside of a list or a quote; a row of its own begins with none of these. */
const CONTAINERS = /^(?:[\s>]|(?:[-*+]|\d{1,9}[.)])\s)*/

/** The cells of a row of a GFM table, without the white space around them and their escapes. */
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

/** Index of the next pipe that is not escaped, or -1. */
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

/** The rows that the pieces of a chunk hold; null where they are no table, or one of them is cut. */
export function tableRows(text: string, pieces: readonly Piece[]): TableRows | null {
  const ofTables = pieces.filter((piece) => piece.own?.kind === 'table')
  const parts = ofTables.filter(({ row }) => row !== HEADER_ROW)
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

/** A row has as many cells as the header: GFM fills up and cuts off. */
const fitted = (cells: readonly string[], columns: number): readonly string[] =>
  cells.length === columns ? cells : Array.from({ length: columns }, (_, index) => cells[index] ?? '')
