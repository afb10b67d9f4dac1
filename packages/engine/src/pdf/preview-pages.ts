import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { ConversionError } from '../conversion.ts'
import { type DrawnPage, drawPages, type PageToDraw, type PdfToDraw } from './ink/draw-pages.ts'
import { showsOnlyWords } from './words-only.ts'
import { type InkMask, inkMask } from './ink/ink-mask.ts'
import { inkShare } from './ink/unread-ink.ts'
import { type Box, boxOf } from './geometry/box.ts'
import { wordsOf } from './geometry/words.ts'
import { lettersOf } from './page/letters.ts'
import { drawableDpi } from './ocr/ocr-dpi.ts'
import { mayShowPicture, type PdfPictures } from './pdf-pictures.ts'
import type { ReadPage } from './page/text-layer.ts'

/** Visible content of a page. */
export interface PagePreview {
  readonly mask: InkMask
  /** Invisible native text on a page with a picture, such as the text layer of a scan. */
  readonly hidden: ReadonlySet<TextItem>
  /** Subset of the hidden text that lies over ink of the picture. */
  readonly overPicture: readonly TextItem[]
}

/**
 * `not-needed`: the page is full of words, or a glance proves that it shows only words. `too-large`: the library cannot
 * draw the page, and it may show more than its text.
 */
export type Preview = PagePreview | 'not-needed' | 'too-large'

const PREVIEW_DPI = 50
/** Resolution at which a word's box shows ink or none. */
const HIDDEN_DPI = 30
/** Threshold: minimum difference of brightness in a word's box that is visible, of 255. */
const VISIBLE = 16
const MIN_DPI = 15
/** Threshold: fraction of ink. A word's box below it is blank. */
const NO_INK = 0.015
/** Threshold: fraction of a page's inner area without text. A page above it has space for more content. */
const ROOM = 0.1
const CELL_POINTS = 24

/** Renders small drawings of pages that may show more than their text layer, and separates ink from paper. */
export async function previewPages(batch: readonly ReadPage[], pictures: PdfPictures): Promise<Map<number, Preview>> {
  const previews = new Map<number, Preview>()
  const drawable: Drawable[] = []
  for (const entry of batch) {
    const { page, pageNumber } = entry
    if (page === null) continue
    if (!mayShowPicture(pictures, pageNumber) && isFull(page)) previews.set(pageNumber, 'not-needed')
    else if (drawableDpi(page, PREVIEW_DPI) < MIN_DPI) previews.set(pageNumber, undrawn(entry, page, pictures))
    else drawable.push({ ...entry, page })
  }
  const drawn = await drawEach(pictures.pdf, drawable, PREVIEW_DPI)
  const plain = drawable.filter((entry) => isPlain(entry, drawn))
  const written = drawable.filter(
    (entry) => entry.page.textItems.length > 0 && mayShowPicture(pictures, entry.pageNumber),
  )
  const bareDrawings =
    pictures.withoutPictures === null ? null : await drawEach(pictures.withoutPictures, written, HIDDEN_DPI)
  for (const entry of drawable) {
    const { page, pageNumber } = entry
    const drawing = drawn.get(pageNumber)
    if (drawing === undefined) {
      previews.set(pageNumber, undrawn(entry, page, pictures))
      continue
    }
    const bareDrawing = bareDrawings?.get(pageNumber)
    const hidden = bareDrawing === undefined ? [] : invisible(page.textItems, bareDrawing)
    if (hidden.length === 0 && plain.includes(entry)) {
      previews.set(pageNumber, 'not-needed')
      continue
    }
    const mask = inkMask(drawing)
    const overPicture = hidden.filter((item) => inkShare(mask, boxOf(item)) >= NO_INK)
    previews.set(pageNumber, { mask, hidden: new Set(hidden), overPicture })
  }
  return previews
}

function undrawn({ pageNumber }: ReadPage, page: ParsedPage, pictures: PdfPictures): Preview {
  return lettersOf(page) === 0 || mayShowPicture(pictures, pageNumber) ? 'too-large' : 'not-needed'
}

type Drawable = ReadPage & { readonly page: ParsedPage }

function isPlain({ page, pageNumber }: Drawable, drawn: ReadonlyMap<number, DrawnPage>): boolean {
  const drawing = drawn.get(pageNumber)
  return drawing !== undefined && showsOnlyWords(drawing, wordsOf(page))
}

/** Draws all pages in one call. Falls back to one call per page, so that an undrawable page costs only itself. */
async function drawEach(pdf: PdfToDraw, pages: readonly Drawable[], dpi: number): Promise<Map<number, DrawnPage>> {
  const drawn = new Map<number, DrawnPage>()
  const draw = async (some: readonly PageToDraw[], at: number): Promise<void> => {
    for (const [number, drawing] of await drawPages(pdf, some, { dpi: at })) drawn.set(number, drawing)
  }
  const usual = pages.filter(({ page }) => drawableDpi(page, dpi) >= dpi)
  const large = pages.filter(({ page }) => drawableDpi(page, dpi) < dpi)
  const failed = await unlessUndrawable(draw(usual, dpi))
  for (const entry of failed ? pages : large) await unlessUndrawable(draw([entry], drawableDpi(entry.page, dpi)))
  return drawn
}

/** True if the library could not draw. */
async function unlessUndrawable(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return false
  } catch (error) {
    if (error instanceof ConversionError) return true
    throw error
  }
}

/**
 * Returns the items with a uniform box. The ink mask is unsuitable: it rejects small print as noise at this resolution.
 * Visible text must never count as invisible.
 */
function invisible(items: readonly TextItem[], drawing: DrawnPage): TextItem[] {
  return items.filter((item) => item.text.trim() !== '' && greyRange(drawing, boxOf(item)) < VISIBLE)
}

function greyRange({ width, height, grey, perPoint }: DrawnPage, box: Box): number {
  const [x0, x1] = [Math.max(0, Math.floor(box.x0 * perPoint)), Math.min(width, Math.ceil(box.x1 * perPoint))]
  const [y0, y1] = [Math.max(0, Math.floor(box.y0 * perPoint)), Math.min(height, Math.ceil(box.y1 * perPoint))]
  let [least, most] = [255, 0]
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * width + x0; at < y * width + x1; at += 1) {
      const level = grey[at] ?? 0
      if (level < least) least = level
      if (level > most) most = level
    }
  }
  return Math.max(0, most - least)
}

/** True if text fills the area inside the margins. A tenth more of it does not fit. */
function isFull(page: ParsedPage): boolean {
  const { width, height } = page
  const inside = { x0: width * 0.1, y0: height * 0.1, x1: width * 0.9, y1: height * 0.9 }
  const [columns, rows] = [
    Math.ceil((inside.x1 - inside.x0) / CELL_POINTS),
    Math.ceil((inside.y1 - inside.y0) / CELL_POINTS),
  ]
  const filled = new Set<number>()
  const cell = (value: number, start: number, count: number): number =>
    Math.max(0, Math.min(count - 1, Math.floor((value - start) / CELL_POINTS)))
  for (const box of wordsOf(page)) {
    if (box.x1 < inside.x0 || box.x0 > inside.x1 || box.y1 < inside.y0 || box.y0 > inside.y1) continue
    for (let row = cell(box.y0, inside.y0, rows); row <= cell(box.y1, inside.y0, rows); row += 1) {
      for (let column = cell(box.x0, inside.x0, columns); column <= cell(box.x1, inside.x0, columns); column += 1)
        filled.add(row * columns + column)
    }
  }
  return filled.size >= (1 - ROOM) * columns * rows
}
