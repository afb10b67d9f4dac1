import type { ParsedPage } from '@llamaindex/liteparse'
import { type Box, boxOf, holds, shared, union } from '../geometry/box.ts'
import type { Word } from '../geometry/words.ts'

type Shape = NonNullable<ParsedPage['vectorGraphics']>['shapes'][number]

/** Threshold in points. Parts of one drawing have a smaller gap. */
const NEAR_POINTS = 14
/** Thresholds for a drawing: minimum width and height in points, maximum fraction of its page. */
const MIN_POINTS = 40
const LARGEST_SHARE = 0.7
/** Threshold: number of curves and slanted lines. Fewer are ornaments. */
const MIN_PARTS = 3
/** Threshold in points for the largest part. Check marks and bullets in a table are smaller. */
const LARGE_POINTS = 25
/** Threshold in points. A longer slanted or curved line is a graph. */
const LONG_POINTS = 60
/** Threshold: number of words, and the fraction of the area that they cover. Above it, the box is framed text. */
const MAX_WORDS = 100
const MAX_COVERED = 0.3
/**
 * Threshold: number of shapes. Maps and technical drawings have tens of thousands of strokes, and the search skips
 * them.
 */
const MAX_SHAPES = 4000

/**
 * Finds charts, diagrams and other drawings of lines and surfaces, as clusters of curves, slanted lines or bars. Frames
 * around text, tables and underlines consist of upright boxes, and do not count.
 */
export function drawingsOf(page: ParsedPage, words: readonly Word[]): Box[] {
  const { shapes = [], lines = [] } = page.vectorGraphics ?? {}
  if (shapes.length === 0 || shapes.length > MAX_SHAPES) return []
  const upright = edgesOf(lines)
  const visible = shapes.filter(({ bbox }) => bbox.width < page.width * 0.97 && bbox.height < page.height * 0.9)
  const drawn = visible.filter((shape) => isDrawn(shape, upright))
  const bars = barsOf(
    visible.filter((shape) => !drawn.includes(shape)),
    words,
  )
  const parts = [...drawn.map(({ bbox }) => boxOf(bbox)), ...bars]
  const rest = visible.map(({ bbox }) => boxOf(bbox))
  const found = clustersOf(parts).flatMap((cluster) => {
    const isGroup = cluster.length >= MIN_PARTS && cluster.some(isLarge)
    const around = touching(union(cluster), rest)
    if (!isGroup && (!cluster.some(isLong) || distinct([...cluster, ...around]) < MIN_PARTS)) return []
    const box = union([...cluster, ...around])
    return isFigure(box, page, words) ? [box] : []
  })
  return found.filter((box, index) => !found.some((other, at) => at !== index && isWithin(box, other)))
}

const isWithin = (inner: Box, outer: Box): boolean =>
  inner.x0 >= outer.x0 && inner.x1 <= outer.x1 && inner.y0 >= outer.y0 && inner.y1 <= outer.y1

/** Counts distinct boxes. A surface and its outline are one part. */
function distinct(boxes: readonly Box[]): number {
  return new Set(boxes.map(({ x0, y0, x1, y1 }) => [x0, y0, x1, y1].map((at) => Math.round(at / 4)).join(' '))).size
}

/** Index of horizontal and vertical edges by position, in points without fractions. */
function edgesOf(lines: NonNullable<ParsedPage['vectorGraphics']>['lines']): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { x1, y1, x2, y2 } of lines) {
    const [dx, dy] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
    if (dx > dy)
      for (let x = Math.min(x1, x2); x <= Math.max(x1, x2); x += 8) keys.add(`h${Math.round(y1)} ${Math.round(x / 8)}`)
    else keys.add(`v${Math.round(x1)}`)
  }
  return keys
}

/** True for a curve, or for slanted lines. No edge of its box is drawn. */
function isDrawn({ bbox, hasCurve }: Shape, upright: ReadonlySet<string>): boolean {
  const { x, y, width, height } = bbox
  if (hasCurve) return width > 3 || height > 3
  if (width < 4 || height < 4) return false
  const middle = Math.round((x + width / 2) / 8)
  const isEdge = (at: number): boolean => [-1, 0, 1].some((step) => upright.has(`h${Math.round(at) + step} ${middle}`))
  const isSide = (at: number): boolean => [-1, 0, 1].some((step) => upright.has(`v${Math.round(at) + step}`))
  return !isEdge(y) && !isEdge(y + height) && !(isSide(x) && isSide(x + width))
}

/**
 * Returns the bars of a chart, and their bounding box. Bars are filled boxes without text on a common baseline, of at
 * least three lengths.
 */
function barsOf(shapes: readonly Shape[], words: readonly Word[]): Box[] {
  const filled = shapes
    .filter(({ fill, bbox }) => fill && bbox.width > 4 && bbox.height > 4)
    .map(({ bbox }) => boxOf(bbox))
  const footings = [
    { foot: ({ y1 }: Box) => y1, length: ({ y0, y1 }: Box) => y1 - y0 },
    { foot: ({ x0 }: Box) => x0, length: ({ x0, x1 }: Box) => x1 - x0 },
  ]
  return footings.flatMap(({ foot, length }) =>
    [...Map.groupBy(filled, (box) => Math.round(foot(box))).values()].flatMap((group) => {
      const lengths = new Set(group.map((box) => Math.round(length(box))))
      const isBare = group.every((box) => !words.some((word) => holds(box, word)))
      return lengths.size >= MIN_PARTS && isBare ? [...group, union(group)] : []
    }),
  )
}

const isNear = (a: Box, b: Box): boolean =>
  shared(a.x0, a.x1, b.x0, b.x1) > -NEAR_POINTS && shared(a.y0, a.y1, b.y0, b.y1) > -NEAR_POINTS

/** Groups parts that are adjacent, directly or through others. */
function clustersOf(parts: readonly Box[]): Box[][] {
  const clusters: { box: Box; parts: Box[] }[] = []
  for (const part of [...parts].sort((a, b) => a.y0 - b.y0)) {
    const near = clusters.filter((cluster) => isNear(cluster.box, part))
    const joined = {
      box: union([part, ...near.map(({ box }) => box)]),
      parts: [part, ...near.flatMap((one) => one.parts)],
    }
    for (const one of near) clusters.splice(clusters.indexOf(one), 1)
    clusters.push(joined)
  }
  return clusters.map((cluster) => cluster.parts)
}

const isLarge = ({ x0, y0, x1, y1 }: Box): boolean => Math.max(x1 - x0, y1 - y0) >= LARGE_POINTS

const isLong = (box: Box): boolean => box.x1 - box.x0 >= LONG_POINTS && box.y1 - box.y0 >= MIN_POINTS

/** Thresholds in points: maximum thickness of an axis, and its maximum distance from the graph. */
const THIN_POINTS = 3
const AXIS_POINTS = 14

/** Returns the axes, the grid and the frame that touch a drawing or surround it closely. */
function touching(drawing: Box, rest: readonly Box[]): Box[] {
  const area = ({ x0, y0, x1, y1 }: Box): number => (x1 - x0) * (y1 - y0)
  const near = ({ x0, y0, x1, y1 }: Box): number => (Math.min(x1 - x0, y1 - y0) <= THIN_POINTS ? AXIS_POINTS : 2)
  const reaches = (box: Box, to: Box): boolean =>
    shared(box.x0, box.x1, to.x0, to.x1) > -near(box) && shared(box.y0, box.y1, to.y0, to.y1) > -near(box)
  const small = rest.filter((box) => area(box) < 3 * area(drawing))
  const first = small.filter((box) => reaches(box, drawing))
  // An axis may touch only the other axis.
  const around = union([drawing, ...first])
  return small.filter((box) => reaches(box, around) && isComparable(box, drawing))
}

/** Rules across the complete page are not axes. */
const isComparable = (box: Box, drawing: Box): boolean =>
  box.x1 - box.x0 < 2 * (drawing.x1 - drawing.x0) && box.y1 - box.y0 < 2 * (drawing.y1 - drawing.y0)

function isFigure(box: Box, page: ParsedPage, words: readonly Word[]): boolean {
  const [width, height] = [box.x1 - box.x0, box.y1 - box.y0]
  if (width < MIN_POINTS || height < MIN_POINTS || width * height > LARGEST_SHARE * page.width * page.height)
    return false
  const inside = words.filter((word) => holds(box, word))
  const covered = inside.reduce((sum, word) => sum + (word.x1 - word.x0) * (word.y1 - word.y0), 0)
  return inside.length <= MAX_WORDS && covered <= MAX_COVERED * width * height
}
