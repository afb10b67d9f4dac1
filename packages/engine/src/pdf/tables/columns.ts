import { gaps, type Interval, shared } from '../geometry/box.ts'
import { type Row, type Segment, segmentOf, wordsIn } from '../geometry/rows.ts'
import type { Word } from '../geometry/words.ts'
import type { Cell } from './grid.ts'

/** Threshold: fraction of a column's width. A cell above it covers the column. */
const COVERS = 0.4
/** Threshold: fraction of lines that may cross a column gap. Headings over several columns do. */
const CROSSING = 0.12

/** Derives columns from the gaps that (nearly) all lines share. Each column holds several segments. */
export function columnsOf(multi: readonly Row[]): Interval[] {
  const size = Math.min(...multi.flatMap((row) => wordsIn(row).map((word) => word.size)))
  const within = { start: Math.min(...multi.map((row) => row.x0)), end: Math.max(...multi.map((row) => row.x1)) }
  const allowed = multi.length >= 6 ? Math.floor(multi.length * CROSSING) : multi.length >= 4 ? 1 : 0
  // More rows allow a narrower gap, because chance does not align many spaces.
  const least = size * (multi.length >= 8 ? 0.45 : multi.length >= 4 ? 0.65 : 0.9)
  const pieces = multi.map((row) => piecesOf(row, least))
  const free = leastCrossed(pieces, within, allowed).filter((gap) => gap.end - gap.start >= Math.max(3, least))
  const edges = [within.start - 1, ...free.map((gap) => (gap.start + gap.end) / 2), within.end + 1]
  const columns = edges.slice(1).map((end, index) => ({ start: edges[index] ?? 0, end }))
  return withoutSparse(columns, pieces)
}

/** Splits a row into pieces with gaps of at least `least` points. */
function piecesOf(row: Row, least: number): Interval[] {
  const words = wordsIn(row).sort((a, b) => a.x0 - b.x0)
  const pieces: { start: number; end: number }[] = []
  for (const word of words) {
    const last = pieces.at(-1)
    if (last !== undefined && word.x0 - last.end < least) last.end = Math.max(last.end, word.x1)
    else pieces.push({ start: word.x0, end: word.x1 })
  }
  return pieces
}

/** Merges two adjacent columns if no row fills both. They are one column with two alignments. */
function withoutSparse(columns: readonly Interval[], rows: readonly (readonly Interval[])[]): Interval[] {
  const homes = rows.map((row) => new Set(row.map((piece) => homeOf(piece, columns))))
  const out: { start: number; end: number; filled: number[] }[] = []
  for (const [index, column] of columns.entries()) {
    const filled = homes.flatMap((home, row) => (home.has(index) ? [row] : []))
    const last = out.at(-1)
    const few = Math.min(last?.filled.length ?? 0, filled.length) <= rows.length * 0.3
    if (last !== undefined && few && !filled.some((row) => last.filled.includes(row))) {
      last.end = column.end
      last.filled.push(...filled)
    } else {
      out.push({ ...column, filled })
    }
  }
  return out
}

/** Returns the index of the column with the widest overlap. */
function homeOf(piece: Interval, columns: readonly Interval[]): number {
  const overlaps = columns.map((column) => shared(piece.start, piece.end, column.start, column.end))
  return overlaps.indexOf(Math.max(...overlaps))
}

/**
 * Returns the horizontal ranges that no row covers, or that at most `allowed` rows cross. Titles over several columns
 * cross gaps. A range with the end of a segment in it is a sparse column, not a gap.
 */
function leastCrossed(rows: readonly (readonly Interval[])[], within: Interval, allowed: number): Interval[] {
  const pieces = rows.flat()
  const edges = [...new Set(pieces.flatMap((piece) => [piece.start, piece.end]))].sort((a, b) => a - b)
  const gapsFound: Interval[] = []
  for (const [index, start] of edges.slice(0, -1).entries()) {
    const end = edges[index + 1] ?? start
    const covering = pieces.filter((piece) => piece.start < end && piece.end > start).length
    const last = gapsFound.at(-1)
    if (covering > allowed) continue
    const whole = last !== undefined && last.end === start
    const widened = whole ? { start: last.start, end } : { start, end }
    if (whole && !hasEndWithin(pieces, widened)) gapsFound[gapsFound.length - 1] = widened
    else if (!whole || covering === 0) gapsFound.push({ start, end })
  }
  return gapsFound.filter((gap) => gap.start >= within.start && gap.end <= within.end)
}

function hasEndWithin(pieces: readonly Interval[], gap: Interval): boolean {
  return pieces.some((piece) => {
    const crosses = piece.start < gap.end && piece.end > gap.start
    return crosses && (piece.start > gap.start || piece.end < gap.end)
  })
}

/** Splits the words of a row into one cell per column. */
export function cellsOf(row: Row, columns: readonly Interval[]): Cell[] {
  const cells = columns.map((): Word[] => [])
  for (const piece of row.segments.flatMap((segment) => cutAt(segment, columns))) {
    const place = { start: piece.x0, end: piece.x1 }
    const covered = columns.flatMap((column, index) =>
      shared(place.start, place.end, column.start, column.end) >= COVERS * (column.end - column.start) ? [index] : [],
    )
    // A title over several columns goes into the first.
    const home = covered.length >= 2 ? (covered[0] ?? 0) : homeOf(place, columns)
    cells[home]?.push(...piece.words)
  }
  return cells
}

/** Splits a segment with a wide gap at a column edge. It holds two adjacent cells. */
function cutAt(segment: Segment, columns: readonly Interval[]): Segment[] {
  const edges = columns.slice(1).map((column) => column.start)
  const cut = edges.find((edge) => {
    if (edge <= segment.x0 || edge >= segment.x1) return false
    const [gap] = gaps(
      { start: edge - 1, end: edge + 1 },
      segment.words.map((word) => ({ start: word.x0, end: word.x1 })),
    )
    const size = segment.words[0]?.size ?? 10
    const before = Math.max(...segment.words.filter((word) => word.x1 <= edge + 1).map((word) => word.x1))
    const after = Math.min(...segment.words.filter((word) => word.x0 >= edge - 1).map((word) => word.x0))
    return gap !== undefined && after - before > size * 0.45
  })
  if (cut === undefined) return [segment]
  const left = segment.words.filter((word) => word.x0 < cut)
  const right = segment.words.filter((word) => word.x0 >= cut)
  return left.length === 0 || right.length === 0 ? [segment] : [segmentOf(left), ...cutAt(segmentOf(right), columns)]
}
