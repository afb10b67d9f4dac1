import type { TextItem } from '@llamaindex/liteparse'
import type { PageDrawing } from '../ink/grey-picture.ts'
import { cropped, stacked } from '../ink/picture-ops.ts'
import { type Box, boxOf, middleY, union } from '../geometry/box.ts'
import { compareWords, MOSTLY_FOUND, SAME_WORDS } from './compare-words.ts'
import { confidenceOf } from './confidence.ts'
import type { OcrData } from './ocr-data.ts'
import { isReadWhole, lineModels } from './lines/line-models.ts'
import { Lines } from './lines/read-lines.ts'
import { readByTesseract } from './read-by-tesseract.ts'

/** Number of lines to compare first, spread over the page. If the result is uncertain, `MORE_LINES` follow. */
const LINES = 3
const MORE_LINES = 6
const LETTERS_OF_LINE = 20
/** Threshold of OCR confidence. Below it, the OCR cannot judge the layer. */
const SURE = 0.7
const MARGIN_POINTS = 4
/**
 * Threshold: fraction of the layer's words in the picture, misread ones included. A layer below it may be wrong in
 * parts.
 */
const ALL_FOUND = 0.95

export interface LayerCheck {
  readonly verdict: 'right' | 'wrong' | 'unsure'
  /** F1 of the words in the compared lines, 0 to 1. Null without a comparison. */
  readonly agreement: number | null
}

/**
 * Compares an invisible text layer with the picture below it. A single pass of OCR reads three lines. If some words
 * differ, it reads up to six more.
 */
export async function checkLayer(layer: readonly TextItem[], drawing: PageDrawing, data: OcrData): Promise<LayerCheck> {
  const all = linesOf(layer)
  const lines = spread(all, LINES)
  if (lines.length === 0) return { verdict: 'unsure', agreement: null }
  const items = await recognisedIn(lines, drawing, data)
  const first = compareWords(lines, items)
  if (first.agreement < SAME_WORDS) return { verdict: isSure(items) ? 'wrong' : 'unsure', agreement: first.agreement }
  const more = spread(
    all.filter((line) => !lines.includes(line)),
    MORE_LINES,
  )
  if (first.found >= ALL_FOUND) return { verdict: 'right', agreement: first.agreement }
  const moreItems = [...items, ...(await recognisedIn(more, drawing, data))]
  const { agreement, found } = compareWords([...lines, ...more], moreItems)
  if (found >= MOSTLY_FOUND) return { verdict: 'right', agreement }
  return { verdict: isSure(moreItems) ? 'wrong' : 'unsure', agreement }
}

const isSure = (items: readonly TextItem[]): boolean => confidenceOf(items).mean >= SURE

async function recognisedIn(
  lines: readonly LayerLine[],
  drawing: PageDrawing,
  data: OcrData,
): Promise<readonly TextItem[]> {
  if (lines.length === 0) return []
  const pictures = lines.map(({ box }) => cropped(drawing, widened(box)))
  const picture = stacked(pictures, Math.round(MARGIN_POINTS * drawing.perPoint))
  // A layer without its accents is wrong.
  const models = data.languages.every(isReadWhole) ? await lineModels() : null
  if (models === null) return readByTesseract(picture, data)
  return (await (await Lines.find(picture, models)).read(null)).items
}

interface LayerLine {
  readonly text: string
  readonly box: Box
}

/** Returns the layer's lines with enough letters to compare, or its longest line. */
function linesOf(layer: readonly TextItem[]): LayerLine[] {
  const groups: TextItem[][] = []
  for (const item of [...layer].sort((a, b) => middleY(boxOf(a)) - middleY(boxOf(b)))) {
    const last = groups.at(-1)
    const first = last?.[0]
    if (
      last !== undefined &&
      first !== undefined &&
      Math.abs(middleY(boxOf(item)) - middleY(boxOf(first))) < first.height / 2
    )
      last.push(item)
    else groups.push([item])
  }
  const lines = groups.map((items) => ({
    text: items
      .sort((a, b) => a.x - b.x)
      .map(({ text }) => text)
      .join(' '),
    box: union(items.map(boxOf)),
  }))
  const long = lines.filter(({ text }) => lettersIn(text) >= LETTERS_OF_LINE)
  if (long.length > 0) return long
  return lines.sort((a, b) => lettersIn(b.text) - lettersIn(a.text)).slice(0, 1)
}

const lettersIn = (text: string): number => text.replace(/\s+/g, '').length

function spread(lines: readonly LayerLine[], count: number): LayerLine[] {
  if (lines.length <= count) return [...lines]
  return Array.from({ length: count }, (_, index) => lines[Math.floor(((index + 0.5) * lines.length) / count)]).filter(
    (line) => line !== undefined,
  )
}

function widened({ x0, y0, x1, y1 }: Box): Box {
  return { x0: x0 - MARGIN_POINTS, y0: y0 - MARGIN_POINTS, x1: x1 + MARGIN_POINTS, y1: y1 + MARGIN_POINTS }
}
