import type { TextItem } from '@llamaindex/liteparse'
import type { PageDrawing } from '../ink/grey-picture.ts'
import { cropped, stacked } from '../ink/picture-ops.ts'
import type { TextInk } from '../ink/text-ink.ts'
import { type Box, shared, union } from '../layout/box.ts'
import type { OcrData } from './ocr-data.ts'
import { recognisePicture } from './recognise-picture.ts'

/** Fewer letters of ink than this are specks. */
const LEAST_LETTERS = 2
/** More passages than these are a page that OCR cannot read. */
const MOST_PASSAGES = 24
/** A recognised word must be this sure: what is left over is often no text. */
const LEAST_CONFIDENCE = 0.6
/** Paper around a passage, which Tesseract needs, in points. */
const MARGIN_POINTS = 6
/** Words of a line stand nearer to one another than this share of their height. */
const WORD_GAP = 1.6

/**
 * Reads what the first pass left out: Tesseract now and then drops a word in the middle of a line, or a line beside a
 * picture, and reads it well alone. `unread` is that ink; items come back in points of the sheet.
 */
export async function rereadUnread(sheet: PageDrawing, unread: readonly TextInk[], data: OcrData): Promise<TextItem[]> {
  const passages = passagesOf(unread)
  if (passages.length === 0 || passages.length > MOST_PASSAGES) return []
  const margin = Math.round(MARGIN_POINTS * sheet.perPoint)
  const pictures = passages.map((box) => cropped(sheet, widened(box, MARGIN_POINTS)))
  const items = await recognisePicture(stacked(pictures, margin), data)
  let top = margin
  return passages.flatMap((box, index) => {
    const from = top
    top += (pictures[index]?.height ?? 0) + margin
    return items
      .filter((item) => item.y + item.height / 2 >= from && item.y + item.height / 2 < top)
      .filter((item) => (item.confidence ?? 0) >= LEAST_CONFIDENCE && /[\p{L}\p{N}]{2}/u.test(item.text))
      .map((item) => ({
        ...item,
        x: Math.max(0, box.x0 - MARGIN_POINTS) + (item.x - margin) / sheet.perPoint,
        y: Math.max(0, box.y0 - MARGIN_POINTS) + (item.y - from) / sheet.perPoint,
        width: item.width / sheet.perPoint,
        height: item.height / sheet.perPoint,
      }))
  })
}

/** Boxes of neighbouring pieces of a line, in points, from top to bottom. */
function passagesOf(unread: readonly TextInk[]): Box[] {
  const pieces = unread
    .map(({ x0, y0, x1, y1, perPoint: scale, letters }) => ({
      box: { x0: x0 / scale, y0: y0 / scale, x1: x1 / scale, y1: y1 / scale },
      letters,
    }))
    .sort((a, b) => a.box.x0 - b.box.x0)
  const passages: { box: Box; letters: number }[] = []
  for (const { box, letters } of pieces) {
    const near = passages.find((passage) => isNear(passage.box, box))
    if (near === undefined) passages.push({ box, letters })
    else {
      near.box = union([near.box, box])
      near.letters += letters
    }
  }
  return passages
    .filter((passage) => passage.letters >= LEAST_LETTERS)
    .map(({ box }) => box)
    .sort((a, b) => a.y0 - b.y0)
}

function isNear(passage: Box, box: Box): boolean {
  const height = Math.min(passage.y1 - passage.y0, box.y1 - box.y0)
  const gap = box.x0 - passage.x1
  return shared(passage.y0, passage.y1, box.y0, box.y1) > height / 2 && gap < WORD_GAP * (passage.y1 - passage.y0)
}

function widened({ x0, y0, x1, y1 }: Box, margin: number): Box {
  return { x0: x0 - margin, y0: y0 - margin, x1: x1 + margin, y1: y1 + margin }
}
