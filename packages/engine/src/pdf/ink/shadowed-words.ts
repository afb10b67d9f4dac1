import type { Box } from '../geometry/box.ts'
import type { PageDrawing } from './grey-picture.ts'

/** Threshold: brightness relative to the line's paper. Darker paper past the end of a line is a shadow. */
const SHADOW = 0.85
/** Threshold: contrast relative to the paper. A pixel column above it holds part of a glyph. A shadow alone is even. */
const LETTER_CONTRAST = 0.35
/** Search window for the next glyph: distance from the last one, as fractions of the line's height. */
const [NEAREST, FARTHEST] = [0.15, 0.9]
/** Threshold: width of a glyph, as a fraction of the line's height. */
const MIN_COLUMNS = 0.15

/**
 * Returns the number of lines that continue unread in a shadow, such as the black of a copier's open lid. OCR reads the
 * remains of the word with confidence. The boxes are of words or of lines of words, in points, deskewed like the
 * drawing.
 */
export function shadowedWords(drawing: PageDrawing, words: readonly Box[]): number {
  const goesOn = (from: number, to: number, line: Box): boolean =>
    !words.some(
      (other) => other !== line && other.x0 < to && other.x1 > from && other.y0 < line.y1 && other.y1 > line.y0,
    ) && hidesLetter(drawing, { ...line, x0: from, x1: to }, line)
  return words.reduce((count, line) => {
    const height = line.y1 - line.y0
    const left = goesOn(line.x0 - FARTHEST * height, line.x0 - NEAREST * height, line)
    const right = goesOn(line.x1 + NEAREST * height, line.x1 + FARTHEST * height, line)
    return count + (left ? 1 : 0) + (right ? 1 : 0)
  }, 0)
}

/** True if an area is darker than the paper of a line, and holds part of a glyph. */
function hidesLetter(drawing: PageDrawing, beyond: Box, line: Box): boolean {
  const outside = columnsOf(drawing, beyond)
  const least = MIN_COLUMNS * (line.y1 - line.y0) * drawing.perPoint
  const inked = outside.filter(({ lightest, darkest }) => lightest - darkest >= LETTER_CONTRAST * lightest)
  if (inked.length < Math.max(1, least)) return false
  return lightestOf(outside) < SHADOW * lightestOf(columnsOf(drawing, line))
}

interface Column {
  readonly lightest: number
  readonly darkest: number
}

function columnsOf({ width, height, grey, perPoint }: PageDrawing, box: Box): Column[] {
  const [top, bottom] = [Math.max(0, Math.round(box.y0 * perPoint)), Math.min(height, Math.round(box.y1 * perPoint))]
  const columns: Column[] = []
  for (let x = Math.max(0, Math.round(box.x0 * perPoint)); x < Math.min(width, box.x1 * perPoint); x += 1) {
    let [lightest, darkest] = [0, 255]
    for (let y = top; y < bottom; y += 1) {
      const level = grey[y * width + x] ?? 0
      if (level > lightest) lightest = level
      if (level < darkest) darkest = level
    }
    columns.push({ lightest, darkest })
  }
  return columns
}

function lightestOf(columns: readonly Column[]): number {
  return columns.reduce((most, { lightest }) => Math.max(most, lightest), 0)
}
