import { halved } from '../ink/picture-ops.ts'
import type { GreyPicture, PageDrawing } from '../ink/grey-picture.ts'
import { inkMask } from '../ink/ink-mask.ts'
import { textInk } from '../ink/text-ink.ts'

/** Letters that one pass of OCR takes on: about three seconds. A page of prose holds 2,000 to 3,500. */
const LETTERS_PER_STRIP = 4_000
/** A cut searches for an empty row within this share of the height. */
const SEARCH_SHARE = 0.04

export interface Strip extends GreyPicture {
  /** Its first row in the whole picture. */
  readonly top: number
}

/** A page in as many strips as its letters ask for, cut between lines: OCR can be stopped between two of them. */
export function stripsOf(drawing: PageDrawing): readonly Strip[] {
  const mask = inkMask(halved(drawing))
  const letters = new Float64Array(mask.height)
  const inked = new Uint32Array(mask.height)
  for (const piece of textInk(mask)) {
    const middle = (piece.y0 + piece.y1) >> 1
    letters[middle] = (letters[middle] ?? 0) + piece.letters
    for (let y = piece.y0; y < piece.y1; y += 1) inked[y] = (inked[y] ?? 0) + 1
  }
  const total = letters.reduce((sum, count) => sum + count, 0)
  const count = Math.max(1, Math.ceil(total / LETTERS_PER_STRIP))
  const cuts = [0]
  let seen = 0
  for (let y = 0; y < mask.height && cuts.length < count; y += 1) {
    seen += letters[y] ?? 0
    if (seen < (total * cuts.length) / count) continue
    const cut = 2 * emptiestRow(inked, y)
    if (cut > (cuts.at(-1) ?? 0)) cuts.push(cut)
  }
  return cuts.map((top, index) => strip(drawing, top, cuts[index + 1] ?? drawing.height))
}

function emptiestRow(inked: Uint32Array, near: number): number {
  const reach = Math.round(inked.length * SEARCH_SHARE)
  let best = near
  for (let y = Math.max(0, near - reach); y < Math.min(inked.length, near + reach); y += 1) {
    if ((inked[y] ?? 0) < (inked[best] ?? 0)) best = y
  }
  return best
}

function strip({ width, grey }: PageDrawing, top: number, bottom: number): Strip {
  return { width, height: bottom - top, top, grey: grey.subarray(top * width, bottom * width) }
}
