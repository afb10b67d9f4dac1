import type { PageDrawing } from '../ink/grey-picture.ts'

/** Threshold: difference of a speck from the median of its neighbourhood. */
const SPECK = 90
/** Threshold: fraction of specks in a noisy picture. Clean print has a tenth of that, from dots and serifs. */
const NOISY = 0.008
/** Sampling step in pixels, in both directions. */
const STEP = 5

/** Returns the fraction of specks among the pixels, 0 to 1. */
export function speckShare({ width, height, grey }: PageDrawing): number {
  let [seen, specks] = [0, 0]
  for (let y = 1; y < height - 1; y += STEP) {
    for (let at = y * width + 1; at < y * width + width - 1; at += STEP) {
      seen += 1
      if (Math.abs((grey[at] ?? 0) - median(grey, at, width)) > SPECK) specks += 1
    }
  }
  return specks / Math.max(1, seen)
}

/** Applies a median filter to a noisy drawing. Returns any other drawing unchanged. */
export function withoutSpecks(drawing: PageDrawing): PageDrawing {
  const { width, height, grey } = drawing
  if (speckShare(drawing) < NOISY) return drawing
  const out = grey.slice()
  for (let y = 1; y < height - 1; y += 1) {
    for (let at = y * width + 1; at < y * width + width - 1; at += 1) out[at] = median(grey, at, width)
  }
  return { ...drawing, grey: out }
}

const around = new Uint8Array(9)

function median(grey: Uint8Array, at: number, width: number): number {
  let count = 0
  for (let row = at - width - 1; row <= at + width - 1; row += width) {
    for (let pixel = row; pixel < row + 3; pixel += 1) {
      const level = grey[pixel] ?? 0
      let place = count
      while (place > 0 && (around[place - 1] ?? 0) > level) {
        around[place] = around[place - 1] ?? 0
        place -= 1
      }
      around[place] = level
      count += 1
    }
  }
  return around[4] ?? 0
}
