import { type Box, middleX, middleY, shared, union } from '../layout/box.ts'
import { rowsOf } from '../layout/rows.ts'
import type { Ruling, Rulings } from '../layout/rulings.ts'
import type { Word } from '../layout/words.ts'
import { type Cell, isValue, type TableGrid, withoutEmpty } from './grid.ts'
import { stackedRows } from './stacked-rows.ts'

/** Lines that end this near to each other meet. */
const TOUCH_POINTS = 3.5
/** A line separates two cells when it runs along this share of their common side. */
const SEPARATES = 0.5
/** A cell over this share of a table's width holds its title or a note. */
const SPANS_ALL = 0.8
/** Pages with more lines than this are drawings. */
const MOST_LINES = 1500

/** Tables whose cells are drawn: lines that cross form the grid, and a missing piece of a line joins two cells. */
export function latticeTables(words: readonly Word[], rulings: Rulings): TableGrid[] {
  if (rulings.horizontal.length + rulings.vertical.length > MOST_LINES) return []
  return meshesOf(rulings)
    .map((mesh) => tableOf(mesh, words))
    .filter((table) => table !== null)
}

/** Groups of lines that cross or touch each other. */
function meshesOf({ horizontal, vertical }: Rulings): Rulings[] {
  const meshes: { horizontal: Ruling[]; vertical: Ruling[] }[] = []
  for (const line of horizontal) {
    const crossing = vertical.filter((other) => meet(line, other))
    const touched = meshes.filter((mesh) => crossing.some((other) => mesh.vertical.includes(other)))
    const merged = {
      horizontal: [line, ...touched.flatMap((mesh) => mesh.horizontal)],
      vertical: [...new Set([...crossing, ...touched.flatMap((mesh) => mesh.vertical)])],
    }
    for (const mesh of touched) meshes.splice(meshes.indexOf(mesh), 1)
    meshes.push(merged)
  }
  return meshes.filter((mesh) => mesh.horizontal.length >= 2 && mesh.vertical.length >= 2)
}

function meet(across: Ruling, down: Ruling): boolean {
  return (
    down.at >= across.start - TOUCH_POINTS &&
    down.at <= across.end + TOUCH_POINTS &&
    across.at >= down.start - TOUCH_POINTS &&
    across.at <= down.end + TOUCH_POINTS
  )
}

function tableOf(mesh: Rulings, words: readonly Word[]): TableGrid | null {
  const xs = places([
    ...mesh.vertical.map((line) => line.at),
    Math.min(...mesh.horizontal.map((line) => line.start)),
    Math.max(...mesh.horizontal.map((line) => line.end)),
  ])
  const ys = places([
    ...mesh.horizontal.map((line) => line.at),
    Math.min(...mesh.vertical.map((line) => line.start)),
    Math.max(...mesh.vertical.map((line) => line.end)),
  ])
  if (xs.length < 3 || ys.length < 2) return null
  const all = bandsOf(mesh, xs, ys, words)
  const core = coreOf(all)
  if (core === null) return null
  if (core.from > 0 || core.to < all.length) {
    const within = clipped(mesh, ys[core.from] ?? 0, ys[core.to] ?? 0)
    // The frame around title and notes may have lines of its own that cut no cell of the table.
    if (within.vertical.length < mesh.vertical.length) return tableOf(within, words)
  }
  const bands = all.slice(core.from, core.to)
  const rows = withoutEmpty(bands.flatMap(rowsOfBand))
  const inside = bands.flatMap((band) => band.cells.flat())
  const filled = rows.flat().filter((cell) => cell.length > 0).length
  if (rows.length < 2 || (rows[0]?.length ?? 0) < 2 || filled < 4 || inside.length === 0) return null
  if (filled < rows.length * (rows[0]?.length ?? 0) * 0.25) return null
  return { kind: 'table', box: union(inside), rows }
}

/** The lines of a mesh between two heights, cut off there. */
function clipped(mesh: Rulings, top: number, bottom: number): Rulings {
  const [from, to] = [top - TOUCH_POINTS, bottom + TOUCH_POINTS]
  return {
    horizontal: mesh.horizontal.filter((line) => line.at >= from && line.at <= to),
    vertical: mesh.vertical
      .filter((line) => shared(line.start, line.end, top, bottom) > 2 * TOUCH_POINTS)
      .map((line) => ({ at: line.at, start: Math.max(line.start, from), end: Math.min(line.end, to) })),
  }
}

interface Band {
  readonly cells: readonly Cell[]
  /** One cell across (nearly) the whole width, or nothing at all. */
  readonly spansAll: boolean
  /** For each cell, whether it ends with this band; what reaches further down belongs to all rows of the band. */
  readonly ends: readonly boolean[]
}

/** The rows of a band: several where values stand below each other in it. */
function rowsOfBand({ cells, ends }: Band): Cell[][] {
  const [first = [], ...others] = stackedRows(cells.map((cell, column) => (ends[column] === true ? cell : [])))
  return [first.map((cell, column) => (ends[column] === true ? cell : (cells[column] ?? []))), ...others]
}

function bandsOf(mesh: Rulings, xs: readonly number[], ys: readonly number[], words: readonly Word[]): Band[] {
  const columns = xs.length - 1
  const drawn = owners(mesh, xs, ys)
  const placed = words.flatMap((word) => {
    const at = cellAt(xs, ys, word)
    return at === null ? [] : [{ word, at }]
  })
  const joined = new Map<number, Placed[]>()
  for (const entry of placed) {
    const home = drawn[entry.at] ?? entry.at
    joined.set(home, [...(joined.get(home) ?? []), entry])
  }
  // A missing line does not join cells whose words stand in columns of their own: shading often has no lines.
  const dissolved = new Set([...joined].filter(([, entries]) => standsInColumns(entries, xs)).map(([home]) => home))
  const owner = drawn.map((home, index) => (dissolved.has(home) ? index : home))
  const cells = new Map<number, Word[]>()
  for (const { word, at } of placed) {
    const home = owner[at] ?? at
    cells.set(home, [...(cells.get(home) ?? []), word])
  }
  return Array.from({ length: ys.length - 1 }, (_, row) => {
    const homes = owner.slice(row * columns, (row + 1) * columns)
    const below = owner.slice((row + 1) * columns, (row + 2) * columns)
    return {
      cells: homes.map((home, column) => (home === row * columns + column ? (cells.get(home) ?? []) : [])),
      spansAll: widestCell(homes, xs, cells) >= SPANS_ALL * ((xs.at(-1) ?? 0) - (xs[0] ?? 0)),
      ends: homes.map((home) => home >= row * columns && !below.includes(home)),
    }
  })
}

interface Placed {
  readonly word: Word
  /** Index of the cell of the full grid that the word's middle lies in. */
  readonly at: number
}

function cellAt(xs: readonly number[], ys: readonly number[], word: Word): number | null {
  const column = xs.findLastIndex((x) => x <= middleX(word))
  const row = ys.findLastIndex((y) => y <= middleY(word))
  const inside = column >= 0 && row >= 0 && column < xs.length - 1 && row < ys.length - 1
  return inside ? row * (xs.length - 1) + column : null
}

/** Whether the words of a joined cell are rows of segments that each fit into one column, mostly several in a row. */
function standsInColumns(entries: readonly Placed[], xs: readonly number[]): boolean {
  const columns = xs.length - 1
  if (new Set(entries.map(({ at }) => at % columns)).size < 2) return false
  const rows = rowsOf(entries.map(({ word }) => word))
  const fits = (part: Box): boolean =>
    xs.slice(1).some((end, index) => part.x0 >= (xs[index] ?? 0) - TOUCH_POINTS && part.x1 <= end + TOUCH_POINTS)
  const values = entries.filter(({ word }) => isValue(word.text))
  if (values.length >= 3 && values.length >= entries.length * 0.5 && values.every(({ word }) => fits(word))) return true
  const several = rows.filter((row) => row.segments.length >= 2 && row.segments.every(fits))
  return several.length >= rows.length * 0.5
}

/** Width of the only cell with words among the cells of a band; 0 where there are several. */
function widestCell(homes: readonly number[], xs: readonly number[], cells: ReadonlyMap<number, Word[]>): number {
  const filled = new Set(homes.filter((home) => cells.has(home)))
  if (filled.size > 1) return 0
  const columns = homes.flatMap((home, column) => (filled.size === 0 || filled.has(home) ? [column] : []))
  return columns.reduce((sum, column) => sum + (xs[column + 1] ?? 0) - (xs[column] ?? 0), 0)
}

/** For each cell of the full grid, row by row, the upper left cell of the joined cell that it belongs to. */
function owners(mesh: Rulings, xs: readonly number[], ys: readonly number[]): number[] {
  const columns = xs.length - 1
  const owner: number[] = []
  for (let index = 0; index < columns * (ys.length - 1); index += 1) {
    const box = cellBox(xs, ys, index)
    const left = index % columns === 0 ? null : owner[index - 1]
    const above = index < columns ? null : owner[index - columns]
    const openLeft = !separated(mesh.vertical, box.x0, box.y0, box.y1)
    const openAbove = !separated(mesh.horizontal, box.y0, box.x0, box.x1)
    const row = Math.floor(index / columns)
    // Joined cells are rectangles: a cell that reaches down beside this one takes it in only from both sides.
    const joinsLeft = left !== null && left !== undefined && openLeft && (left >= row * columns || left === above)
    if (joinsLeft) owner.push(left)
    else if (above !== null && above !== undefined && openAbove) owner.push(above)
    else owner.push(index)
  }
  return owner
}

function separated(lines: readonly Ruling[], at: number, start: number, end: number): boolean {
  const along = lines
    .filter((line) => Math.abs(line.at - at) <= TOUCH_POINTS)
    .reduce((sum, line) => sum + Math.max(0, shared(line.start, line.end, start, end)), 0)
  return along >= SEPARATES * (end - start)
}

function cellBox(xs: readonly number[], ys: readonly number[], index: number): Box {
  const columns = xs.length - 1
  const [column, row] = [index % columns, Math.floor(index / columns)]
  return { x0: xs[column] ?? 0, x1: xs[column + 1] ?? 0, y0: ys[row] ?? 0, y1: ys[row + 1] ?? 0 }
}

/** A frame often holds the table's title and notes too, each in one cell across the width: they are text around it. */
function coreOf(bands: readonly Band[]): { readonly from: number; readonly to: number } | null {
  const from = bands.findIndex((band) => !band.spansAll)
  return from < 0 ? null : { from, to: bands.findLastIndex((band) => !band.spansAll) + 1 }
}

/** Distinct places in ascending order; what is nearer than a touch is one place. */
function places(values: readonly number[]): number[] {
  const out: number[] = []
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = out.at(-1)
    if (last === undefined || value - last > TOUCH_POINTS) out.push(value)
  }
  return out
}
