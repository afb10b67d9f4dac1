import type { InkMask } from './ink-mask.ts'

/** A connected component of ink: its box in pixels, with exclusive ends, and its number of ink pixels. */
export interface Component {
  x0: number
  y0: number
  x1: number
  y1: number
  pixels: number
}

/** Threshold: gap in pixels of a row. Ink across a smaller gap is one glyph or word. */
const GAP_PIXELS = 1

/** Finds the components of a mask from its runs of ink in one pass, linear in the number of pixels. */
export function componentsOf({ width, height, ink }: InkMask): Component[] {
  const found: Component[] = []
  const parent: number[] = []
  const rootOf = (label: number): number => {
    let root = label
    while (parent[root] !== root) root = parent[root] ?? root
    parent[label] = root
    return root
  }
  let above: Run[] = []
  for (let y = 0; y < height; y += 1) {
    const runs = runsOf(ink, y * width, width)
    let from = 0
    for (const run of runs) {
      while (from < above.length && (above[from]?.x1 ?? 0) < run.x0) from += 1
      for (let at = from; at < above.length && (above[at]?.x0 ?? 0) <= run.x1; at += 1) {
        const label = rootOf(above[at]?.label ?? 0)
        if (run.label < 0) run.label = label
        else parent[label] = rootOf(run.label)
      }
      if (run.label < 0) {
        run.label = found.length
        parent.push(run.label)
        found.push({ x0: run.x0, y0: y, x1: run.x1, y1: y + 1, pixels: 0 })
      }
      extend(found[run.label], run, y)
    }
    above = runs
  }
  return merged(found, rootOf)
}

interface Run {
  readonly x0: number
  x1: number
  pixels: number
  label: number
}

function runsOf(ink: Uint8Array, start: number, width: number): Run[] {
  const runs: Run[] = []
  let last: Run | undefined
  for (let x = 0; x < width; x += 1) {
    if (ink[start + x] === 0) continue
    if (last !== undefined && x - last.x1 <= GAP_PIXELS) {
      last.x1 = x + 1
      last.pixels += 1
    } else {
      last = { x0: x, x1: x + 1, pixels: 1, label: -1 }
      runs.push(last)
    }
  }
  return runs
}

function extend(component: Component | undefined, run: Run, y: number): void {
  if (component === undefined) return
  component.x0 = Math.min(component.x0, run.x0)
  component.x1 = Math.max(component.x1, run.x1)
  component.y1 = y + 1
  component.pixels += run.pixels
}

function merged(found: readonly Component[], rootOf: (label: number) => number): Component[] {
  const roots = new Map<number, Component>()
  for (const [label, part] of found.entries()) {
    const root = rootOf(label)
    const whole = roots.get(root)
    if (whole === undefined) {
      roots.set(root, { ...part })
    } else {
      whole.x0 = Math.min(whole.x0, part.x0)
      whole.y0 = Math.min(whole.y0, part.y0)
      whole.x1 = Math.max(whole.x1, part.x1)
      whole.y1 = Math.max(whole.y1, part.y1)
      whole.pixels += part.pixels
    }
  }
  return [...roots.values()]
}
