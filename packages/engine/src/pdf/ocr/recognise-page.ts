import type { ParsedPage, ScreenshotRect, TextItem, VectorLine } from '@llamaindex/liteparse'
import { deskewed } from './deskew.ts'
import { drawPages, type PdfToDraw } from '../ink/draw-pages.ts'
import type { Turn } from '../page/text-layer.ts'
import type { PageDrawing } from '../ink/grey-picture.ts'
import { type InkMask, inkMask } from '../ink/ink-mask.ts'
import { halved, levelled, paintOver, turnedBack } from '../ink/picture-ops.ts'
import { textInk, type TextInk } from '../ink/text-ink.ts'
import { shadowedWords } from '../ink/shadowed-words.ts'
import { crossedWords } from '../ink/crossed-words.ts'
import { type InkReading, readInk, withReadLetters } from '../ink/unread-ink.ts'
import { type Box, boxOf, holds } from '../geometry/box.ts'
import { hasIdeographs } from '../geometry/ideographs.ts'
import { lettersIn } from '../page/letters.ts'
import { type OcrConfidence } from '../../grade/signals.ts'
import { confidenceOf, isText, scoreOf } from './confidence.ts'
import type { CpuBudget } from './lines/cpu-budget.ts'
import { speckShare, withoutSpecks } from './denoise.ts'
import { type Frame, frameSize, intoFrame, movedOutOfLevel } from './frame.ts'
import { type LineModels, lineModels } from './lines/line-models.ts'
import { Lines } from './lines/read-lines.ts'
import type { OcrLanguages } from './ocr-languages.ts'
import { ocrDpi } from './ocr-dpi.ts'
import { readByModels, readWithoutModels, type SheetReading } from './read-sheet.ts'
import { textSlope } from './text-slope.ts'

/** Fewer letters of ink than this are specks. */
const LEAST_LETTERS = 3
/** An A3 sheet at 200 dpi has 7.7 million. Beside a larger drawing the models need more memory than a converter has. */
const MOST_PIXELS = 12e6
/** Lines that sink by less need no levelling: Tesseract reads them as well. */
const LEAST_SLOPE = 0.009
/** A word that goes on in a shadow is wrong each time; one that a streak runs through comes out right one time of five. */
const SHADOWED_WEIGHT = 1.25

/**
 * From this share of specks on a page is read without them where its longest lines read surer so: small print has as many
 * specks as noise has. Of 13 noisy pages nine lay above, and eight gained up to .92 of their F1; a newspaper with .07 stays as it is.
 */
const MANY_SPECKS = 0.02

export interface OcrRequest {
  readonly pdf: PdfToDraw
  readonly page: ParsedPage
  /** How far the library has turned the page already. */
  readonly pageTurn: Turn
  /** Native text that stays: painted over before the OCR reads what is left. */
  readonly kept: readonly TextItem[]
  readonly languages: OcrLanguages
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
  /** English names of languages of the text that OCR has no data for. */
  readonly lacking: readonly string[]
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
 * Reads the picture of a page, upright and level: with the models of lines where most of its letters are in pictures, and with
 * Tesseract where it has native text beside them, is larger than A3 by far, or no build of the models runs.
 */
export async function recognisePage(request: OcrRequest): Promise<OcrOutcome> {
  const dpi = ocrDpi(request.page)
  if (dpi === null) return { kind: 'too_large' }
  const toDraw = [{ pageNumber: request.page.pageNum, turn: request.pageTurn }]
  const drawn = (await drawPages(request.pdf, toDraw, { dpi, findRects: true })).get(request.page.pageNum)
  if (drawn === undefined) return { kind: 'blank' }
  const clean = withoutSpecks(drawn)
  const plain = halved(clean)
  const pieces = textInk(inkMask(plain))
  if (lettersOf(pieces) < LEAST_LETTERS) return { kind: 'blank' }
  const isSmall = drawn.width * drawn.height <= MOST_PIXELS
  const models = isSmall && isForModels(pieces, request.kept) ? await lineModels() : null
  const lines = linesOf(drawn.rects)
  if (models === null) {
    const sheet = sheetAt(0, { drawing: clean, plain }, request)
    return readingOf(sheet, await readWithoutModels(sheet.drawing, request.kept, request), lines, request)
  }
  const asDrawn = await uprightSheet({ drawing: drawn, plain }, models, request)
  const isNoisy = clean !== drawn && speckShare(drawn) >= MANY_SPECKS
  const { sheet, lines: found } = isNoisy
    ? await surer(asDrawn, await uprightSheet({ drawing: clean, plain }, models, request))
    : asDrawn
  return readingOf(sheet, await readByModels(sheet.drawing, found, request), lines, request)
}

/** Most of its letters are in pictures, or they may be Chinese ones: Tesseract reads few of these. */
function isForModels(pieces: readonly TextInk[], natives: readonly TextItem[]): boolean {
  return 2 * lettersOf(besides(pieces, natives)) > lettersOf(pieces) || natives.some(({ text }) => hasIdeographs(text))
}

interface Drawings {
  /** As its reader wants it: the models were trained on pictures as they are. */
  readonly drawing: PageDrawing
  /** Without specks, at half the resolution, for its ink. */
  readonly plain: PageDrawing
}

/** A page that was turned and levelled. */
interface Sheet {
  readonly frame: Frame
  /** With the native text painted over. */
  readonly drawing: PageDrawing
  readonly shown: PageDrawing
  readonly mask: InkMask
  /** Boxes of the native text where `mask` shows it; on a levelled sheet none is left. */
  readonly natives: readonly Box[]
  /** Letters of ink under native text. */
  readonly nativeLetters: number
}

interface FoundLines {
  readonly sheet: Sheet
  readonly lines: Lines
}

async function surer(one: FoundLines, other: FoundLines): Promise<FoundLines> {
  return (await other.lines.longestConfidence()) > (await one.lines.longestConfidence()) ? other : one
}

/** The sheet on which lines run across, and the longest of them read well. */
async function uprightSheet(drawings: Drawings, models: LineModels, request: OcrRequest): Promise<FoundLines> {
  const at = async (turn: Turn) => {
    const sheet = sheetAt(turn, drawings, request)
    return { sheet, lines: await Lines.find(sheet.drawing, models) }
  }
  let turn: Turn = 0
  let found = await at(turn)
  if (found.lines.runSideways) {
    turn = 90
    found = await at(turn)
  }
  if (!(await found.lines.areUpsideDown())) return found
  return at(turn === 0 ? 180 : 270)
}

function sheetAt(turn: Turn, { drawing, plain }: Drawings, { page, kept }: OcrRequest): Sheet {
  const flat: Frame = { width: page.width, height: page.height, turn, slope: 0 }
  const natives = kept.map((item) => intoFrame(item, flat))
  const half = turnedBack(plain, turn)
  const mask = inkMask(half)
  const pieces = textInk(mask)
  const others = besides(pieces, natives)
  const nativeLetters = lettersOf(pieces) - lettersOf(others)
  const slope = textSlope(others, half.perPoint)
  // Before the sheet is levelled: until then the boxes of native lines fit them.
  if (Math.abs(slope) < LEAST_SLOPE) {
    const painted = straightened(turnedBack(drawing, turn), natives, 0)
    return { frame: flat, drawing: painted, shown: half, mask, natives: natives.map(boxOf), nativeLetters }
  }
  const shown = straightened(half, natives, slope)
  return {
    frame: { ...flat, slope },
    drawing: straightened(turnedBack(drawing, turn), natives, slope),
    shown,
    mask: inkMask(shown),
    natives: [],
    nativeLetters,
  }
}

function readingOf(
  { frame, drawing, shown, mask, natives, nativeLetters }: Sheet,
  { items: inPixels, lacking, complete }: SheetReading,
  rules: readonly VectorLine[],
  { page, kept }: OcrRequest,
): OcrReading {
  const items = inPixels.map((item) => inPoints(item, drawing.perPoint))
  const nativeBoxes = kept.map((item) => boxOf(intoFrame(item, frame)))
  const recognised = items.filter(isText).filter((item) => !nativeBoxes.some((native) => holds(native, boxOf(item))))
  // Before their lines are made level, the boxes of words stand where their ink is.
  const boxesRead = recognised.map(boxOf)
  const ink = readInk(mask, [...natives, ...boxesRead])
  return {
    kind: 'read',
    page: {
      ...page,
      ...placed(kept, deskewed(recognised), frame),
      ...othersOf(page, frame.turn, kept.length > 0, rules),
    },
    brokenWords: crossedWords(mask, boxesRead) + SHADOWED_WEIGHT * shadowedWords(shown, boxesRead),
    ink: frame.slope === 0 ? ink : withReadLetters(ink, nativeLetters),
    confidence: confidenceOf(items),
    score: scoreOf(items),
    lacking,
    complete,
  }
}

function inPoints(item: TextItem, perPoint: number): TextItem {
  const { x, y, width, height } = item
  return { ...item, x: x / perPoint, y: y / perPoint, width: width / perPoint, height: height / perPoint }
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

/** Only a sheet that was not turned keeps what else the library found on the page: figures, links and lines. */
function othersOf(
  { vectorGraphics }: ParsedPage,
  turn: Turn,
  hasNatives: boolean,
  rules: readonly VectorLine[],
): Pick<ParsedPage, 'vectorGraphics'> & Partial<Pick<ParsedPage, 'blocks' | 'annotations'>> {
  const own = hasNatives ? (vectorGraphics?.lines ?? []) : []
  const lines = own.length > 0 || turn !== 0 ? own : [...rules]
  return { ...(turn === 0 ? {} : { blocks: [], annotations: [] }), vectorGraphics: { shapes: [], lines } }
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
