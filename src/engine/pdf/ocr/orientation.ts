import type { TextInk } from '../ink/text-ink.ts'
import { cropped, turnedBack } from '../ink/picture-ops.ts'
import type { PageDrawing } from '../ink/grey-picture.ts'
import type { Turn } from '../text-layer.ts'
import { confidenceOf, scoreOf } from './confidence.ts'
import type { OcrData } from './ocr-data.ts'
import { recognisePicture } from './recognise-picture.ts'
import { sidewaysness } from './text-slope.ts'

/** Ink that gathers so much better into columns than into lines makes a page sideways. */
const SIDEWAYS = 1.3
/** Height of the band that is read to decide which way is up, in points. */
const PROBE_POINTS = 70

/** Whether the ink gathers into lines that run up and down, as on a page that was scanned sideways. */
export function liesSideways(pieces: readonly TextInk[]): boolean {
  const [first] = pieces
  return first !== undefined && sidewaysness(pieces, first.perPoint) > SIDEWAYS
}

/** How well the densest band of the page reads when it is turned back by `turn`, 0 to 1. */
export async function probe(
  drawing: PageDrawing,
  pieces: readonly TextInk[],
  turn: Turn,
  data: OcrData,
): Promise<number> {
  const upright = turnedBack(drawing, turn)
  const along = turn === 90 || turn === 270
  const scale = drawing.perPoint
  const length = (along ? drawing.width : drawing.height) / scale
  const top = densest(pieces, along, length)
  // Turned back by 90 degrees, the right edge of the page is on top.
  const from = turn === 90 || turn === 180 ? length - top - PROBE_POINTS : top
  const band = { x0: 0, x1: upright.width / scale, y0: from, y1: from + PROBE_POINTS }
  const items = await recognisePicture(cropped(upright, band), data)
  return Math.min(scoreOf(items), confidenceOf(items).mean)
}

/** Where the band with most letters begins, in points along the axis that the lines follow one another on. */
function densest(pieces: readonly TextInk[], along: boolean, length: number): number {
  const half = PROBE_POINTS / 2
  const sums = new Map<number, number>()
  for (const piece of pieces) {
    const middle = along ? (piece.x0 + piece.x1) / 2 : (piece.y0 + piece.y1) / 2
    const at = Math.floor(middle / piece.perPoint / half)
    for (const near of [at - 1, at]) sums.set(near, (sums.get(near) ?? 0) + piece.letters)
  }
  const [best = 0] = [...sums].sort((a, b) => b[1] - a[1])[0] ?? []
  return Math.max(0, Math.min(length - PROBE_POINTS, best * half))
}
