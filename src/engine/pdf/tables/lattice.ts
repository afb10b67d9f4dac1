import { type Box, holds, shared, union } from '../layout/box.ts'
import type { Ruling, Rulings } from '../layout/rulings.ts'
import type { Word } from '../layout/words.ts'
import { type Cell, type TableGrid, withoutEmpty } from './grid.ts'
import { stackedRows } from './stacked-rows.ts'

/** Lines that end this near to each other meet. */
const TOUCH_POINTS = 3.5
/** A line separates two cells when it runs along this share of their common side. */
const SEPARATES = 0.5
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
  const bands = trimmed(bandsOf(mesh, xs, ys, words))
  const rows = withoutEmpty(bands.flatMap((band) => (band.divisible ? stackedRows(band.cells) : [band.cells])))
  const inside = bands.flatMap((band) => band.cells.flat())
  const filled = rows.flat().filter((cell) => cell.length > 0).length
  if (rows.length < 2 || (rows[0]?.length ?? 0) < 2 || filled < 4 || inside.length === 0) return null
  if (filled < rows.length * (rows[0]?.length ?? 0) * 0.25) return null
  return { kind: 'table', box: union(inside), rows }
}

interface Band {
  readonly cells: readonly Cell[]
  /** One cell across the whole width. */
  readonly spansAll: boolean
  /** No cell reaches into the band below: its lines may be rows of their own. */
  readonly divisible: boolean
}

function bandsOf(mesh: Rulings, xs: readonly number[], ys: readonly number[], words: readonly Word[]): Band[] {
  const columns = xs.length - 1
  const owner = owners(mesh, xs, ys)
  const cells = new Map<number, Word[]>()
  for (const word of words) {
    const at = owner.findIndex((_, index) => holds(cellBox(xs, ys, index), word))
    if (at < 0) continue
    const home = owner[at] ?? at
    cells.set(home, [...(cells.get(home) ?? []), word])
  }
  return Array.from({ length: ys.length - 1 }, (_, row) => {
    const homes = owner.slice(row * columns, (row + 1) * columns)
    return {
      cells: homes.map((home, column) => (home === row * columns + column ? (cells.get(home) ?? []) : [])),
      spansAll: new Set(homes).size === 1,
      divisible:
        homes.every((home) => Math.floor(home / columns) === row) &&
        !owner.slice((row + 1) * columns).some((home) => homes.includes(home)),
    }
  })
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
    if (left !== null && left !== undefined && openLeft) owner.push(left)
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

/** A frame often holds the table's title and notes too, each in one cell across all columns: they are text around it. */
function trimmed(bands: readonly Band[]): readonly Band[] {
  const first = bands.findIndex((band) => !band.spansAll)
  const last = bands.findLastIndex((band) => !band.spansAll)
  return bands.slice(first, last + 1)
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
