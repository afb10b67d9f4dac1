import { type Box, middleX, middleY, shared } from '../geometry/box.ts'
import type { Ruling, Rulings } from '../geometry/rulings.ts'

/** Threshold in points. Lines whose ends are nearer touch. */
export const TOUCH_POINTS = 3.5
/** Threshold: fraction of the common side. A line above it separates two cells. */
const SEPARATES = 0.5

/** Lines that form one grid, with the positions of its column and row edges. */
export interface Mesh extends Rulings {
  readonly xs: readonly number[]
  readonly ys: readonly number[]
}

/** Groups lines that cross or touch each other. */
export function meshesOf({ horizontal, vertical }: Rulings): Mesh[] {
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
  return meshes.filter((mesh) => mesh.horizontal.length >= 2 && mesh.vertical.length >= 2).map(withPlaces)
}

function meet(across: Ruling, down: Ruling): boolean {
  return (
    down.at >= across.start - TOUCH_POINTS &&
    down.at <= across.end + TOUCH_POINTS &&
    across.at >= down.start - TOUCH_POINTS &&
    across.at <= down.end + TOUCH_POINTS
  )
}

/** The outer edges are at the line ends, even if no line closes the grid. */
function withPlaces({ horizontal, vertical }: Rulings): Mesh {
  const ends = (lines: readonly Ruling[]): number[] => [
    Math.min(...lines.map((line) => line.start)),
    Math.max(...lines.map((line) => line.end)),
  ]
  const xs = places([...vertical.map((line) => line.at), ...ends(horizontal)])
  const ys = places([...horizontal.map((line) => line.at), ...ends(vertical)])
  return { horizontal, vertical, xs, ys }
}

/** Returns distinct positions in ascending order. Positions nearer than a touch are equal. */
function places(values: readonly number[]): number[] {
  const out: number[] = []
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = out.at(-1)
    if (last === undefined || value - last > TOUCH_POINTS) out.push(value)
  }
  return out
}

/** Returns the lines of a mesh between two heights, clipped there. */
export function clipped(mesh: Mesh, top: number, bottom: number): Mesh {
  const [from, to] = [top - TOUCH_POINTS, bottom + TOUCH_POINTS]
  return withPlaces({
    horizontal: mesh.horizontal.filter((line) => line.at >= from && line.at <= to),
    vertical: mesh.vertical
      .filter((line) => shared(line.start, line.end, top, bottom) > 2 * TOUCH_POINTS)
      .map((line) => ({ at: line.at, start: Math.max(line.start, from), end: Math.min(line.end, to) })),
  })
}

/** Maps each cell of the full grid, row by row, to the upper left cell of its merged cell. */
export function owners(mesh: Mesh): number[] {
  const { xs, ys } = mesh
  const columns = xs.length - 1
  const owner: number[] = []
  for (let index = 0; index < columns * (ys.length - 1); index += 1) {
    const box = cellBox(mesh, index)
    const left = index % columns === 0 ? null : owner[index - 1]
    const above = index < columns ? null : owner[index - columns]
    const openLeft = !separated(mesh.vertical, box.x0, box.y0, box.y1)
    const openAbove = !separated(mesh.horizontal, box.y0, box.x0, box.x1)
    const row = Math.floor(index / columns)
    // Merged cells are rectangles. A tall cell next to this one takes it in only from both sides.
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

function cellBox({ xs, ys }: Mesh, index: number): Box {
  const columns = xs.length - 1
  const [column, row] = [index % columns, Math.floor(index / columns)]
  return { x0: xs[column] ?? 0, x1: xs[column + 1] ?? 0, y0: ys[row] ?? 0, y1: ys[row + 1] ?? 0 }
}

/** Returns the cell of the full grid, by row, that contains the centre of a word. Null outside the grid. */
export function cellAt({ xs, ys }: Mesh, word: Box): number | null {
  const column = xs.findLastIndex((x) => x <= middleX(word))
  const row = ys.findLastIndex((y) => y <= middleY(word))
  const inside = column >= 0 && row >= 0 && column < xs.length - 1 && row < ys.length - 1
  return inside ? row * (xs.length - 1) + column : null
}
