import type { TableRows } from './chunk.ts'
import { HEADER_ROW, type Piece } from './piece.ts'

/** Before a row inside of a list or a quote; a row of its own begins with none of these. */
const CONTAINERS = /^(?:[\s>]|(?:[-*+]|\d{1,9}[.)])\s)*/

/** The cells of a row of a GFM table, without the white space around them and their escapes. */
function cellsOf(row: string): readonly string[] {
  const cells: string[] = []
  let cell = ''
  const line = row.replace(CONTAINERS, '').trim().replace(/^\|/, '')
  if (!line.includes('\\')) return simpleCells(line)
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (character === '\\' && line[at + 1] === '|') {
      cell += '|'
      at += 1
    } else if (character === '|') {
      cells.push(cell.trim())
      cell = ''
    } else cell += character
  }
  if (cell.trim() !== '' || !line.endsWith('|')) cells.push(cell.trim())
  return cells
}

const simpleCells = (line: string): readonly string[] =>
  (line.endsWith('|') ? line.slice(0, -1) : line).split('|').map((cell) => cell.trim())

/** The rows that the pieces of a chunk hold; null where they are no table, or one of them is cut. */
export function tableRows(text: string, pieces: readonly Piece[]): TableRows | null {
  const own = pieces.filter((piece) => piece.own?.kind === 'table')
  const parts = own.filter(({ row }) => row !== HEADER_ROW)
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
