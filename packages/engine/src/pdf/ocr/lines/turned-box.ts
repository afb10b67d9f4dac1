/** A rotated rectangle in a picture: its centre, its sides, and the direction of the first side. */
export interface TurnedBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Cosine and sine of the angle of the first side. The glyphs of a line follow each other along it. */
  readonly cos: number
  readonly sin: number
}

export type Point = readonly [x: number, y: number]

/** Threshold: aspect ratio of height to width. A line of print above it is vertical. */
const UPRIGHT = 1.5

/** Threshold: area ratio of the level rectangle to the smallest one. A box of few glyphs is skewed by chance. */
const RATHER_LEVEL = 1.2

/**
 * Returns the smallest rectangle around points. The more level side is first, and a high rectangle is rotated to lie.
 */
export function smallestBox(points: readonly Point[]): TurnedBox {
  const hull = hullOf(points)
  const level = boxAlong(hull, 1, 0)
  let best = level
  for (const [index, [x0, y0]] of hull.entries()) {
    const [x1, y1] = hull[(index + 1) % hull.length] ?? [x0, y0]
    const length = Math.hypot(x1 - x0, y1 - y0)
    const [cos, sin] = length === 0 ? [1, 0] : [(x1 - x0) / length, (y1 - y0) / length]
    const box = boxAlong(hull, cos, sin)
    if (areaOf(box) < areaOf(best)) best = box
  }
  return lying(areaOf(level) <= RATHER_LEVEL * areaOf(best) ? level : best)
}

const areaOf = ({ width, height }: TurnedBox): number => width * height

function boxAlong(points: readonly Point[], cos: number, sin: number): TurnedBox {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [x, y] of points) {
    const [along, across] = [x * cos + y * sin, y * cos - x * sin]
    left = Math.min(left, along)
    right = Math.max(right, along)
    top = Math.min(top, across)
    bottom = Math.max(bottom, across)
  }
  const [along, across] = [(left + right) / 2, (top + bottom) / 2]
  return {
    x: along * cos - across * sin,
    y: along * sin + across * cos,
    width: right - left,
    height: bottom - top,
    cos,
    sin,
  }
}

function lying(box: TurnedBox): TurnedBox {
  const level = Math.abs(box.cos) >= Math.abs(box.sin) ? box : quarterTurned(box)
  const rightwards = level.cos >= 0 ? level : { ...level, cos: -level.cos, sin: -level.sin }
  return rightwards.height >= UPRIGHT * rightwards.width ? quarterTurned(rightwards) : rightwards
}

/** True if the glyphs of a line follow each other vertically. */
export const isVertical = ({ cos, sin }: TurnedBox): boolean => Math.abs(cos) < Math.abs(sin)

/** Returns the same rectangle, read from its other end. */
export const turnedOver = (box: TurnedBox): TurnedBox => ({ ...box, cos: -box.cos, sin: -box.sin })

/** Returns the same rectangle with its other side first. */
export function quarterTurned({ x, y, width, height, cos, sin }: TurnedBox): TurnedBox {
  return { x, y, width: height, height: width, cos: -sin, sin: cos }
}

/** Computes the convex hull by Andrew's monotone chain. */
function hullOf(points: readonly Point[]): readonly Point[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = []
    for (const point of ordered) {
      while (chain.length >= 2 && !turnsLeft(chain.at(-2) ?? point, chain.at(-1) ?? point, point)) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  const hull = [...half(sorted), ...half(sorted.toReversed())]
  return hull.length === 0 ? sorted : hull
}

const turnsLeft = (a: Point, b: Point, c: Point): boolean =>
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0
