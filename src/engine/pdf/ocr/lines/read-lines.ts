import type { TextItem } from '@llamaindex/liteparse'
import type { GreyPicture } from '../../ink/grey-picture.ts'
import { decodeLine, type LineWord } from './decode-line.ts'
import { bandsOf, finderInput, linesInMap } from './find-lines.ts'
import { inkedRows } from './ink-box.ts'
import { readerInput } from './line-crop.ts'
import type { LineModels } from './line-models.ts'
import type { TurnedBox } from './turned-box.ts'

/** Less sure lines are no text. */
const LEAST_CONFIDENCE = 0.5
/** The rectangle of a line is higher than its letters by this share, above and below. */
const RIM = 0.09

/** Sine of the angle from which on a line is slanted: pages are levelled before, and slanted text has no place in a layout. */
const SLANTED = 0.16

/** Words of a picture, boxes in pixels. */
export async function readLines(picture: GreyPicture, models: LineModels): Promise<readonly TextItem[]> {
  const boxes: TurnedBox[] = []
  for (const band of bandsOf(picture)) boxes.push(...linesInMap(await models.find(finderInput(band)), band))
  const items: TextItem[] = []
  // One line at a time: the memory of the runtime follows the widest batch.
  for (const box of boxes.filter(({ cos, sin }) => Math.min(Math.abs(cos), Math.abs(sin)) < SLANTED)) {
    const words = decodeLine(await models.read(readerInput(picture, box)), models.charset)
    if (confidenceOf(words) < LEAST_CONFIDENCE) continue
    for (const word of words) {
      const item = itemOf(word, box)
      items.push({ ...item, ...inkedRows(picture, item), confidence: calibrated(word.confidence) })
    }
  }
  return items
}

function confidenceOf(words: readonly LineWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / Math.max(1, letters)
}

/**
 * Confidence of the model, and what Tesseract has of words that are as often right: thresholds and grades know its scale.
 * None is so low that the word would be dropped: that is decided for a line as a whole.
 */
const SCALE: readonly (readonly [own: number, known: number])[] = [
  [0, 0.36],
  [0.5, 0.4],
  [0.8, 0.5],
  [0.9, 0.75],
  [0.97, 0.94],
  [1, 0.97],
]

function calibrated(confidence: number): number {
  const at = Math.max(
    1,
    SCALE.findIndex(([own]) => own >= confidence),
  )
  const [[ownFrom, from], [ownTo, to]] = [SCALE[at - 1] ?? [0, 0], SCALE[at] ?? [1, 1]]
  return from + ((to - from) * (Math.min(1, confidence) - ownFrom)) / (ownTo - ownFrom)
}

function itemOf({ text, from, to }: LineWord, box: TurnedBox): TextItem {
  const middle = ((from + to) / 2 - 0.5) * box.width
  const [x, y] = [box.x + middle * box.cos, box.y + middle * box.sin]
  const [long, short] = [(to - from) * box.width, (1 - 2 * RIM) * box.height]
  const isLevel = Math.abs(box.cos) >= Math.abs(box.sin)
  const [width, height] = isLevel ? [long, short] : [short, long]
  return { text, x: x - width / 2, y: y - height / 2, width, height }
}
