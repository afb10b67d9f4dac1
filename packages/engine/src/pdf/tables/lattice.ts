import { type Box, union } from '../geometry/box.ts'
import { rowsOf } from '../geometry/rows.ts'
import type { Rulings } from '../geometry/rulings.ts'
import type { Word } from '../geometry/words.ts'
import { type Cell, isValue, type TableGrid, withoutEmpty } from './grid.ts'
import { cellAt, clipped, type Mesh, meshesOf, owners, TOUCH_POINTS } from './mesh.ts'
import { stackedRows } from './stacked-rows.ts'

/** Threshold: fraction of a table's width. A wider cell holds the table's title or a note. */
const SPANS_ALL = 0.8
/** Threshold: number of lines. A page with more is a drawing. */
const MAX_LINES = 1500

/** Finds tables with drawn cells. Crossing lines form the grid, and a missing piece of a line merges two cells. */
export function latticeTables(words: readonly Word[], rulings: Rulings): TableGrid[] {
  if (rulings.horizontal.length + rulings.vertical.length > MAX_LINES) return []
  return meshesOf(rulings)
    .map((mesh) => tableOf(mesh, words))
    .filter((table) => table !== null)
}

function tableOf(mesh: Mesh, words: readonly Word[]): TableGrid | null {
  if (mesh.xs.length < 3 || mesh.ys.length < 2) return null
  const all = bandsOf(mesh, words)
  const core = coreOf(all)
  if (core === null) return null
  if (core.from > 0 || core.to < all.length) {
    const within = clipped(mesh, mesh.ys[core.from] ?? 0, mesh.ys[core.to] ?? 0)
    // The frame around title and notes may have lines that cross no cell of the table.
    if (within.vertical.length < mesh.vertical.length) return tableOf(within, words)
  }
  const bands = all.slice(core.from, core.to)
  const rows = withoutEmpty(withoutSlivers(bands.flatMap(rowsOfBand), mesh.xs))
  const inside = bands.flatMap((band) => band.cells.flat())
  const filled = rows.flat().filter((cell) => cell.length > 0).length
  if (rows.length < 2 || (rows[0]?.length ?? 0) < 2 || filled < 4 || inside.length === 0) return null
  if (filled < rows.length * (rows[0]?.length ?? 0) * 0.25) return null
  return { kind: 'table', box: union(inside), rows }
}

/** Threshold in points. A narrower column holds no glyph. It lies between the shading of two cells. */
const SLIVER_POINTS = 7

/** Moves text of such a column into the next column that can hold text. It belongs to a wider cell. */
function withoutSlivers(rows: readonly (readonly Cell[])[], xs: readonly number[]): readonly (readonly Cell[])[] {
  const isSliver = (column: number): boolean => (xs[column + 1] ?? 0) - (xs[column] ?? 0) < SLIVER_POINTS
  if (!xs.slice(1).some((_, column) => isSliver(column))) return rows
  return rows.map((row) => {
    const out = [...row]
    for (const [column, cell] of out.entries()) {
      const next = out[column + 1]
      if (cell.length > 0 && isSliver(column) && next?.length === 0) {
        out[column] = []
        out[column + 1] = cell
      }
    }
    return out
  })
}

interface Band {
  readonly cells: readonly Cell[]
  /** True if one cell spans (nearly) the complete width, or if the band is empty. */
  readonly spansAll: boolean
  /** For each cell, true if it ends with this band. A taller cell belongs to all rows of the band. */
  readonly ends: readonly boolean[]
}

/** Returns the rows of a band: several if it stacks values. */
function rowsOfBand({ cells, ends }: Band): Cell[][] {
  const [first = [], ...others] = stackedRows(cells.map((cell, column) => (ends[column] === true ? cell : [])))
  return [first.map((cell, column) => (ends[column] === true ? cell : (cells[column] ?? []))), ...others]
}

function bandsOf(mesh: Mesh, words: readonly Word[]): Band[] {
  const { xs, ys } = mesh
  const columns = xs.length - 1
  const drawn = owners(mesh)
  const placed = words.flatMap((word) => {
    const at = cellAt(mesh, word)
    return at === null ? [] : [{ word, at }]
  })
  const joined = new Map<number, Placed[]>()
  for (const entry of placed) {
    const home = drawn[entry.at] ?? entry.at
    joined.set(home, [...(joined.get(home) ?? []), entry])
  }
  // A missing line does not merge cells with words in separate columns. Shading often has no lines.
  const dissolved = new Set([...joined].filter(([, entries]) => fitsColumns(entries, xs)).map(([home]) => home))
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
  /** Index of the cell of the full grid that contains the word's centre. */
  readonly at: number
}

/** True if a merged cell holds rows of segments that each fit into one column, mostly several per row. */
function fitsColumns(entries: readonly Placed[], xs: readonly number[]): boolean {
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

/** Returns the width of the only cell with words in a band. 0 if several cells have words. */
function widestCell(homes: readonly number[], xs: readonly number[], cells: ReadonlyMap<number, Word[]>): number {
  const filled = new Set(homes.filter((home) => cells.has(home)))
  if (filled.size > 1) return 0
  const columns = homes.flatMap((home, column) => (filled.size === 0 || filled.has(home) ? [column] : []))
  return columns.reduce((sum, column) => sum + (xs[column + 1] ?? 0) - (xs[column] ?? 0), 0)
}

/**
 * A frame often contains the table's title and notes, each in a cell across the width. They are text around the table.
 */
function coreOf(bands: readonly Band[]): { readonly from: number; readonly to: number } | null {
  const from = bands.findIndex((band) => !band.spansAll)
  return from < 0 ? null : { from, to: bands.findLastIndex((band) => !band.spansAll) + 1 }
}
