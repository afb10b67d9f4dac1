/** A rectangle on a page in points (1/72 inch), with the origin in the top left corner. */
export interface Box {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

/** Converts a rectangle of the PDF library. */
export function boxOf(rect: {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}): Box {
  return { x0: rect.x, y0: rect.y, x1: rect.x + rect.width, y1: rect.y + rect.height }
}

/** A range on one axis. */
export interface Interval {
  readonly start: number
  readonly end: number
}

export const middleX = (box: Box): number => (box.x0 + box.x1) / 2
export const middleY = (box: Box): number => (box.y0 + box.y1) / 2

/** Returns the common length of two ranges. A negative value is the distance between them. */
export function shared(startA: number, endA: number, startB: number, endB: number): number {
  return Math.min(endA, endB) - Math.max(startA, startB)
}

/** Returns the bounding box of boxes. A loop, because too many boxes exceed the argument limit of a call. */
export function union(boxes: readonly Box[]): Box {
  let [x0, y0] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let [x1, y1] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const box of boxes) {
    x0 = Math.min(x0, box.x0)
    y0 = Math.min(y0, box.y0)
    x1 = Math.max(x1, box.x1)
    y1 = Math.max(y1, box.y1)
  }
  return { x0, y0, x1, y1 }
}

/** True if the centre of `inner` is in `outer`. */
export function holds(outer: Box, inner: Box): boolean {
  const [x, y] = [middleX(inner), middleY(inner)]
  return x >= outer.x0 && x <= outer.x1 && y >= outer.y0 && y <= outer.y1
}

/** Returns the parts of `within` that `taken` does not cover, from left to right. */
export function gaps(within: Interval, taken: readonly Interval[]): Interval[] {
  const free: Interval[] = []
  let at = within.start
  for (const { start, end } of [...taken].sort((a, b) => a.start - b.start)) {
    if (start > at) free.push({ start: at, end: Math.min(start, within.end) })
    at = Math.max(at, end)
  }
  if (at < within.end) free.push({ start: at, end: within.end })
  return free.filter((gap) => gap.end > gap.start)
}

export function intersections(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  return a
    .flatMap((one) => b.map((two) => ({ start: Math.max(one.start, two.start), end: Math.min(one.end, two.end) })))
    .filter((common) => common.end > common.start)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
