import type { ParsedPage, ScreenshotRect, TextItem, VectorLine } from '@llamaindex/liteparse'
import { deskewed } from '../deskew.ts'
import { drawPages, type PdfToDraw } from '../ink/draw-pages.ts'
import type { Turn } from '../text-layer.ts'
import type { PageDrawing } from '../ink/grey-picture.ts'
import { inkMask } from '../ink/ink-mask.ts'
import { halved, levelled, paintOver, turnedBack } from '../ink/picture-ops.ts'
import { textInk, type TextInk } from '../ink/text-ink.ts'
import { shadowedWords } from '../ink/shadowed-words.ts'
import { crossedWords } from '../ink/crossed-words.ts'
import { type InkReading, readInk, unreadText, withReadLetters } from '../ink/unread-ink.ts'
import { boxOf, holds } from '../layout/box.ts'
import { lettersIn } from '../letters.ts'
import { type OcrConfidence, confidenceOf, isText, scoreOf } from './confidence.ts'
import type { CpuBudget } from './cpu-budget.ts'
import { withoutSpecks } from './denoise.ts'
import { type Frame, frameSize, intoFrame, movedOutOfLevel } from './frame.ts'
import type { OcrData } from './ocr-data.ts'
import { ocrDpi } from './ocr-dpi.ts'
import { liesSideways, probe } from './orientation.ts'
import { preparedFor, recognisePicture } from './recognise-picture.ts'
import { rereadUnread } from './reread-unread.ts'
import { stripsOf } from './strips.ts'
import { textSlope } from './text-slope.ts'

/** Upright English print scores 0.9 and more, garbage from a turned page below 0.6. */
const GOOD_SCORE = 0.75
/** A band that reads worse than this either way says nothing of how the page lies. */
const LEAST_PROBE = 0.5
/** Fewer letters of ink than this are specks. */
const LEAST_LETTERS = 3
/** Lines that sink by less need no levelling: Tesseract reads them as well. */
const LEAST_SLOPE = 0.009
/** A word that goes on in a shadow is wrong each time; one that a streak runs through comes out right one time of five. */
const SHADOWED_WEIGHT = 1.25

export interface OcrRequest {
  readonly pdf: PdfToDraw
  readonly page: ParsedPage
  /** How far the library has turned the page already. */
  readonly pageTurn: Turn
  /** Native text that stays: painted over before the OCR reads what is left. */
  readonly kept: readonly TextItem[]
  readonly data: OcrData
  readonly budget: CpuBudget
}

/** What the OCR made of a page: on a sheet brought upright, whose size `page` has. */
export interface OcrReading {
  readonly kind: 'read'
  /** The kept native items and the recognised ones, at their places on the upright sheet. */
  readonly page: ParsedPage
  readonly ink: InkReading
  /** About how many recognised words a streak of the scanner runs through, or a shadow cuts off. */
  readonly brokenWords: number
  readonly confidence: OcrConfidence
  /** 0 to 1: confidence, and how much of the text lies as text does. */
  readonly score: number
  /** False where the time was over before the whole page was read. */
  readonly complete: boolean
}

export type OcrOutcome =
  | OcrReading
  /** No ink that looks like text; no OCR was run. */
  | { readonly kind: 'blank' }
  /** Too large to draw at a resolution that can be read. */
  | { readonly kind: 'too_large' }

/**
 * Reads the picture of a page, upright and level. A page that lies sideways is known by
 * its ink; another that reads badly is tried upside down on one band, so a hopeless page costs one pass and a probe.
 */
export async function recognisePage(request: OcrRequest): Promise<OcrOutcome> {
  const dpi = ocrDpi(request.page)
  if (dpi === null) return { kind: 'too_large' }
  const toDraw = [{ pageNumber: request.page.pageNum, turn: request.pageTurn }]
  const drawn = (await drawPages(request.pdf, toDraw, { dpi, findRects: true })).get(request.page.pageNum)
  if (drawn === undefined) return { kind: 'blank' }
  const plain = halved(withoutSpecks(drawn))
  const pieces = textInk(inkMask(plain))
  if (lettersOf(pieces) < LEAST_LETTERS) return { kind: 'blank' }
  const drawing = await preparedFor(request.data, drawn)
  const turn = await sidewaysTurn(drawing, pieces, request)
  const sheets = { drawing, plain }
  const first = await readTurned(sheets, turn, request)
  const lines = linesOf(drawn.rects)
  // A heading that runs up and down, beside small print, passes for a page that lies sideways.
  if (turn !== 0 && first.score < LEAST_PROBE) {
    const upright = await readTurned(sheets, 0, request)
    if (upright.score > first.score) return withLines(upright, 0, lines, request)
  }
  if (turn !== 0 || first.score >= GOOD_SCORE || !first.complete) return withLines(first, turn, lines, request)
  const upsideDown = await probe(drawing, pieces, 180, request.data)
  if (upsideDown < GOOD_SCORE || upsideDown <= first.score) return withLines(first, turn, lines, request)
  return withLines(await readTurned(sheets, 180, request), 180, lines, request)
}

interface Sheets {
  /** As its reader wants it. */
  readonly drawing: PageDrawing
  /** As drawn, at half the resolution: stretched contrast would show ink where there is none. */
  readonly plain: PageDrawing
}

/** 90 or 270 for a page that lies sideways and reads better so, else 0. */
async function sidewaysTurn(drawing: PageDrawing, pieces: readonly TextInk[], request: OcrRequest): Promise<Turn> {
  if (!liesSideways(pieces)) return 0
  const { data } = request
  const quarter = await probe(drawing, pieces, 90, data)
  if (quarter >= GOOD_SCORE) return 90
  const threeQuarters = await probe(drawing, pieces, 270, data)
  if (Math.max(quarter, threeQuarters) < LEAST_PROBE) return 0
  return threeQuarters > quarter ? 270 : 90
}

async function readTurned({ drawing, plain }: Sheets, turn: Turn, request: OcrRequest): Promise<OcrReading> {
  const { page, kept } = request
  const flat: Frame = { width: page.width, height: page.height, turn, slope: 0 }
  const natives = kept.map((item) => intoFrame(item, flat))
  const half = turnedBack(plain, turn)
  const flatMask = inkMask(half)
  const pieces = textInk(flatMask)
  const others = besides(pieces, natives)
  const steep = textSlope(others, half.perPoint)
  const frame: Frame = { ...flat, slope: Math.abs(steep) < LEAST_SLOPE ? 0 : steep }
  const isLevel = frame.slope === 0
  // Before the sheet is levelled: until then the boxes of native lines fit them.
  const sheet = straightened(turnedBack(drawing, turn), natives, frame.slope)
  const shown = isLevel ? half : straightened(half, natives, frame.slope)
  const mask = isLevel ? flatMask : inkMask(shown)
  const first = await readStrips(sheet, request)
  const visible = isLevel ? natives : []
  const boxes = [...visible, ...first.items.filter(isText)].map(boxOf)
  const missed = first.complete ? await rereadUnread(sheet, unreadText(mask, boxes), request.data) : []
  const items = [...first.items, ...missed]
  const nativeBoxes = kept.map((item) => boxOf(intoFrame(item, frame)))
  const recognised = items.filter(isText).filter((item) => !nativeBoxes.some((native) => holds(native, boxOf(item))))
  // Before their lines are made level, the boxes of words stand where their ink is.
  const boxesRead = recognised.map(boxOf)
  const ink = readInk(mask, [...visible.map(boxOf), ...boxesRead])
  return {
    kind: 'read',
    page: { ...page, ...placed(kept, deskewed(recognised), frame) },
    brokenWords: crossedWords(mask, boxesRead) + SHADOWED_WEIGHT * shadowedWords(shown, boxesRead),
    ink: isLevel ? ink : withReadLetters(ink, lettersOf(pieces) - lettersOf(others)),
    confidence: confidenceOf(items),
    score: scoreOf(items),
    complete: first.complete,
  }
}

/** A copy of the drawing with the native text painted over, turned so that other print is level. */
function straightened(upright: PageDrawing, natives: readonly TextItem[], slope: number): PageDrawing {
  const painted = { ...upright, grey: upright.grey.slice() }
  paintOver(painted, natives.map(boxOf))
  return slope === 0 ? painted : levelled(painted, slope)
}

/** Native text of at least this share of the letters is a page's own: a picture askew on it does not make it askew. */
const STANDS = 0.3

/** Native and recognised items on one sheet: the page as it is, or the levelled one. */
function placed(
  kept: readonly TextItem[],
  recognised: readonly TextItem[],
  frame: Frame,
): Pick<ParsedPage, 'width' | 'height' | 'textItems'> {
  const native = lettersIn(kept)
  const stands = native > 0 && native >= STANDS * (native + lettersIn(recognised))
  const sheet = stands ? { ...frame, slope: 0 } : frame
  const read = stands ? movedOutOfLevel(recognised, frame) : recognised
  return { ...frameSize(sheet), textItems: [...kept.map((item) => intoFrame(item, sheet)), ...read] }
}

const lettersOf = (pieces: readonly TextInk[]): number => pieces.reduce((sum, piece) => sum + piece.letters, 0)

/** The ink that no native text explains: a picture may lie askew on a page that does not. */
function besides(pieces: readonly TextInk[], natives: readonly TextItem[]): TextInk[] {
  const boxes = natives.map(boxOf)
  return pieces.filter(({ x0, y0, x1, y1, perPoint }) => {
    const box = { x0: x0 / perPoint, y0: y0 / perPoint, x1: x1 / perPoint, y1: y1 / perPoint }
    return !boxes.some((native) => holds(native, box))
  })
}

async function readStrips(
  sheet: PageDrawing,
  { data, budget }: OcrRequest,
): Promise<{ readonly items: readonly TextItem[]; readonly complete: boolean }> {
  const items: TextItem[] = []
  for (const strip of stripsOf(sheet)) {
    if (budget.leftMs() === 0) return { items, complete: false }
    for (const item of await recognisePicture(strip, data)) {
      const scale = sheet.perPoint
      items.push({
        ...item,
        x: item.x / scale,
        y: (item.y + strip.top) / scale,
        width: item.width / scale,
        height: item.height / scale,
      })
    }
  }
  return { items, complete: true }
}

/** Only a sheet that was not turned keeps what else the library found on the page: figures, links and lines. */
function withLines(
  reading: OcrReading,
  turn: Turn,
  lines: ReturnType<typeof linesOf>,
  { page, kept }: OcrRequest,
): OcrReading {
  const own = kept.length > 0 ? (page.vectorGraphics?.lines ?? []) : []
  const vectorGraphics = { shapes: [], lines: own.length > 0 || turn !== 0 ? own : lines }
  const upright = turn === 0 ? {} : { blocks: [], annotations: [] }
  return { ...reading, page: { ...reading.page, ...upright, vectorGraphics } }
}

const DARK = 150
const SHORTEST_LINE = 18

/** Dark lines of a picture: the rules of a scanned table, where the scan is clean. */
function linesOf(rects: readonly ScreenshotRect[]): VectorLine[] {
  return rects
    .filter(
      (rect) => rect.isLine && brightness(rect.color) < DARK && Math.max(rect.width, rect.height) >= SHORTEST_LINE,
    )
    .map(({ x, y, width, height }) => ({
      ...(width > height
        ? { x1: x, x2: x + width, y1: y + height / 2, y2: y + height / 2 }
        : { x1: x + width / 2, x2: x + width / 2, y1: y, y2: y + height }),
      stroke: true,
      fill: false,
    }))
}

/** 0 for black to 255 for white, of a colour like `ff1a2b3c`. */
function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = [2, 4, 6].map((at) => parseInt(color.slice(at, at + 2), 16))
  return 0.3 * red + 0.59 * green + 0.11 * blue
}
