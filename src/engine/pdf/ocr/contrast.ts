import type { PageDrawing } from '../ink/grey-picture.ts'
import { smoothLevels } from '../ink/smooth-levels.ts'

/** Side of the squares whose paper and ink are measured, in points. */
const BLOCK_POINTS = 36
/** Shares of a square's pixels that are darker than its paper, and than its ink. */
const PAPER_SHARE = 0.8
const INK_SHARE = 0.02
/** Share of a square's pixels that its light print, white letters on a dark surface, leaves darker. */
const LIGHT_SHARE = 0.97
/** A surface darker than this with print lighter by this much is no shadow: levelled as paper, it would swallow its letters. */
const DARK_SURFACE = 150
const REVERSED_CONTRAST = 60
/** A square with less difference holds paper only; the paper's level then says nothing of its ink. */
const LEAST_CONTRAST = 10
/** A page with this much contrast nearly everywhere is left as it is. */
const GOOD_CONTRAST = 150
/** Share of the squares with ink that must have it. */
const MOSTLY = 0.97

/**
 * The drawing with its paper made white and its ink made black, square by square and smoothly from one to the next:
 * faded print, uneven light and grey paper read no worse than a clean scan then. A drawing of good contrast is returned
 * as it is.
 */
export function evenContrast(drawing: PageDrawing): PageDrawing {
  const { width, height, grey, perPoint } = drawing
  const side = Math.max(16, Math.round(BLOCK_POINTS * perPoint))
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)]
  const each = (share: number, from: Uint8Array): Float32Array =>
    Float32Array.from({ length: columns * rows }, (_, at) =>
      quantileIn({ ...drawing, grey: from }, (at % columns) * side, Math.floor(at / columns) * side, side, share),
    )
  const [surface, light] = [each(0.5, grey), each(LIGHT_SHARE, grey)]
  const paper = each(PAPER_SHARE, grey).map((level, at) => {
    const most = surface[at] ?? 255
    return most < DARK_SURFACE && (light[at] ?? 0) - most >= REVERSED_CONTRAST ? 255 : level
  })
  const ink = each(INK_SHARE, grey)
  const inked = [...paper.keys()].filter((at) => (paper[at] ?? 0) - (ink[at] ?? 0) >= LEAST_CONTRAST)
  const good = inked.filter((at) => (paper[at] ?? 0) - (ink[at] ?? 0) >= GOOD_CONTRAST && (paper[at] ?? 0) > 200)
  if (good.length >= MOSTLY * inked.length) return drawing
  const papers = smoothLevels({ levels: paper, columns, rows, side }, width, height)
  const level = grey.map((value, at) => Math.max(0, Math.min(255, 255 - (papers[at] ?? 255) + value)))
  const contrast = spansOf(each(INK_SHARE, level), columns, rows)
  const contrasts = smoothLevels({ levels: contrast, columns, rows, side }, width, height)
  return {
    ...drawing,
    grey: level.map((value, at) => Math.max(0, 255 - (255 * (255 - value)) / (contrasts[at] ?? 255))),
  }
}

/** The contrast that each square is stretched by: the largest of its neighbours', as one may hold paper only. */
function spansOf(ink: Float32Array, columns: number, rows: number): Float32Array {
  return ink.map((_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns]
    let span = 0
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
        span = Math.max(span, 255 - (ink[y * columns + x] ?? 0))
      }
    }
    return span >= LEAST_CONTRAST ? span : 255
  })
}

/** The grey of a square that so large a share of its pixels is darker than. */
function quantileIn({ width, height, grey }: PageDrawing, x0: number, y0: number, side: number, share: number): number {
  const counts = new Uint32Array(256)
  let total = 0
  for (let y = y0; y < Math.min(height, y0 + side); y += 2) {
    for (let x = x0; x < Math.min(width, x0 + side); x += 2) {
      const level = grey[y * width + x] ?? 0
      counts[level] = (counts[level] ?? 0) + 1
      total += 1
    }
  }
  let below = 0
  for (let level = 0; level < 256; level += 1) {
    below += counts[level] ?? 0
    if (below > total * share) return level
  }
  return 255
}
