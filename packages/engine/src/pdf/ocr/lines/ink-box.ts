import type { GreyPicture } from '../../ink/grey-picture.ts'

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Threshold of contrast. An area with less is paper. */
const MIN_CONTRAST = 40
/** Threshold: ink pixels in a row. Fewer are a speck. */
const MIN_INKED = 2

/** Threshold: fraction of the height between an i and its dot. A larger gap leads to the line above or below. */
const MAX_GAP = 0.15

/** Shrinks an area to its rows of pixels with ink: a line is as tall as its tallest glyph, which most words lack. */
export function inkedRows({ width, height, grey }: GreyPicture, area: Area): Area {
  const [x0, x1] = [Math.max(0, Math.floor(area.x)), Math.min(width, Math.ceil(area.x + area.width))]
  const [y0, y1] = [Math.max(0, Math.floor(area.y)), Math.min(height, Math.ceil(area.y + area.height))]
  let [darkest, lightest] = [255, 0]
  for (let y = y0; y < y1; y += 1) {
    for (let x = x0; x < x1; x += 1) {
      const level = grey[y * width + x] ?? 255
      darkest = Math.min(darkest, level)
      lightest = Math.max(lightest, level)
    }
  }
  if (lightest - darkest < MIN_CONTRAST) return area
  const inkLevel = (darkest + lightest) / 2
  const isInked = (y: number): boolean => {
    let inked = 0
    for (let x = x0; x < x1; x += 1) if ((grey[y * width + x] ?? 255) < inkLevel) inked += 1
    return inked >= MIN_INKED
  }
  const middle = Math.round((y0 + y1) / 2)
  const reach = (step: 1 | -1): number => {
    let [last, gap] = [middle, 0]
    for (let y = middle; y >= y0 && y < y1 && gap <= MAX_GAP * (y1 - y0); y += step) {
      gap = isInked(y) ? 0 : gap + 1
      if (gap === 0) last = y
    }
    return last
  }
  const [top, bottom] = [reach(-1), reach(1) + 1]
  return bottom - top > 1 ? { ...area, y: top, height: bottom - top } : area
}
