import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import type { PdfParserOptions } from '@sluice/contract'
import { drawPages, type PdfToDraw } from './ink/draw-pages.ts'
import { type InkReading, readInk } from './ink/unread-ink.ts'
import { type Box, boxOf, shared } from './geometry/box.ts'
import { wordsOf } from './geometry/words.ts'
import type { Preview, PagePreview } from './preview-pages.ts'
import { checkLayer, type LayerCheck } from './ocr/check-layer.ts'
import type { CpuBudget } from './ocr/lines/cpu-budget.ts'
import { ocrDpi } from './ocr/ocr-dpi.ts'
import { judgeLayer } from './ocr/judge-layer.ts'
import type { OcrLanguages } from './ocr/ocr-languages.ts'
import { type OcrOutcome, type OcrReading, recognisePage } from './ocr/recognise-page.ts'
import { writtenLanguages } from './ocr/written-language.ts'
import type { PageProblem } from '../grade/signals.ts'
import type { PageReading } from './page-reading.ts'
import type { ReadPage } from './page/text-layer.ts'
import { garbledLetters, lettersIn, lettersOf, plausibleShare } from './page/letters.ts'
import { isNoisy, leavesInk, leavesInkInScan, ocrHelps, showsUnreadText } from './ocr-decision.ts'

export interface ReadPageContext {
  readonly pdf: PdfToDraw
  readonly mode: PdfParserOptions['mode']
  /** OCR languages of the document. Loads their data on first use. */
  readonly languages: OcrLanguages
  /** CPU budget for OCR of the complete document. */
  readonly budget: CpuBudget
}

/** CPU budget for OCR of one page, in milliseconds. A dense page takes 5 s, a newspaper page 12 s. */
const PAGE_BUDGET_MS = 15_000
/** Threshold of the OCR score to replace a text layer that seems garbled. */
const BETTER_THAN_GARBLED = 0.75
/** Threshold of mean confidence. Recognised text below it is more likely wrong than right. */
const MIN_CONFIDENCE = 0.6
/**
 * Threshold of mean confidence on a noisy page. Tesseract misreads letters of confident words in noise, and skips other
 * words. Complete readings score 0.88 or more.
 */
const MIN_IN_NOISE = 0.85
/** Threshold: fraction of recognised letters above which their confidence counts. */
const MUCH_RECOGNISED = 0.05
/**
 * Threshold: fraction of broken words, unread ink included. OCR reads the remains of a word under a streak or shadow
 * with confidence.
 */
const MUCH_BROKEN = 0.11
/** Threshold: number of broken words. A rule or a fold breaks fewer. */
const MIN_BROKEN = 3
const NOTHING: ReadonlySet<TextItem> = new Set()
/** Threshold: covered fraction of native text. Above it, the recognised words are the same text. */
const SAME_TEXT = 0.4
/** Threshold in letters. Less invisible text is a stamp of the scanner, not a text layer. */
const MIN_LAYER = 10

/** Decides from the visible content of a page whether OCR reads it. Merges recognised with native text. */
export async function readPage(entry: ReadPage, preview: Preview, context: ReadPageContext): Promise<PageReading> {
  const { page } = entry
  if (page === null) return reading(entry, { problems: ['unreadable'] })
  if (typeof preview === 'string' && context.mode !== 'ocr') {
    return reading(entry, { problems: preview === 'too-large' ? ['too_large'] : [] })
  }
  const layer = typeof preview === 'string' ? null : await layerOf(entry, page, preview, context)
  const kept = layer === null ? page.textItems : layer.kept
  const shown = typeof preview === 'string' ? null : readInk(preview.mask, wordsOf({ ...page, textItems: kept }))
  // A checked text layer holds the text that noise may hide.
  const ink = shown === null || (layer?.check ?? null) === null ? shown : { ...shown, noiseShare: 0 }
  const garbled = page.complexity?.isGarbled === true
  const found = { ink, layer: layer?.check ?? null }
  if (context.mode === 'fast') {
    const lacking = garbled || (ink !== null && showsUnreadText(ink, kept))
    return reading(
      { ...entry, page: { ...page, textItems: kept } },
      { ...found, problems: lacking ? ['needs_ocr'] : [] },
    )
  }
  if (context.mode === 'auto' && !garbled && ink !== null && !ocrHelps(ink, kept)) {
    return reading({ ...entry, page: { ...page, textItems: kept } }, { ...found, problems: [] })
  }
  const unsure =
    typeof preview !== 'string' && (layer?.check?.verdict === 'unsure' || isMisplacedLayer(preview, page))
      ? preview.hidden
      : NOTHING
  const painted = context.mode === 'ocr' || garbled ? [] : kept.filter((item) => !unsure.has(item))
  const budget = context.budget.part(PAGE_BUDGET_MS)
  if (budget.leftMs() === 0)
    return reading({ ...entry, page: { ...page, textItems: kept } }, { ...found, problems: ['ocr_time'] })
  const { pdf, languages } = context
  const outcome = await recognisePage({ pdf, page, pageTurn: entry.turn, kept: painted, languages, budget })
  if (outcome.kind === 'read' && layer?.check?.verdict === 'wrong' && typeof preview !== 'string') {
    const confirmed = withConfirmedLayer(entry, page, preview, outcome)
    if (confirmed !== null) return confirmed
  }
  return merged(entry, page, { outcome, kept, unsure, painted: new Set(painted), garbled, ...found })
}

interface Layer {
  readonly kept: TextItem[]
  readonly check: LayerCheck | null
}

/** Returns the trusted native text: all visible text, and an invisible layer unless the picture contradicts it. */
async function layerOf(
  entry: ReadPage,
  page: ParsedPage,
  preview: PagePreview,
  context: ReadPageContext,
): Promise<Layer> {
  const all: Layer = { kept: page.textItems, check: null }
  if (context.mode === 'fast' || lettersIn(preview.overPicture) < MIN_LAYER) return all
  const dpi = ocrDpi(page)
  if (dpi === null) return all
  const toDraw = [{ pageNumber: page.pageNum, turn: entry.turn }]
  const drawing = (await drawPages(context.pdf, toDraw, { dpi })).get(page.pageNum)
  if (drawing === undefined) return all
  const { data } = await context.languages.dataFor(
    writtenLanguages(preview.overPicture.map(({ text }) => text).join(' ')),
  )
  const check = await checkLayer(preview.overPicture, drawing, data)
  if (check.verdict !== 'wrong') return { kept: page.textItems, check }
  return { kept: page.textItems.filter((item) => !preview.hidden.has(item)), check }
}

/**
 * True if an invisible layer does not match the print. The picture is rotated, or the layer belongs to another page.
 */
function isMisplacedLayer({ hidden, overPicture }: PagePreview, page: ParsedPage): boolean {
  const letters = lettersIn([...hidden])
  return letters >= MIN_LAYER && letters >= lettersOf(page) / 2 && lettersIn(overPicture) < MIN_LAYER
}

/**
 * Accepts a layer that failed the check of three lines if the complete recognised text confirms it. Returns null
 * otherwise.
 */
function withConfirmedLayer(
  entry: ReadPage,
  page: ParsedPage,
  { mask, overPicture }: PagePreview,
  { page: read, confidence }: OcrReading,
): PageReading | null {
  const recognised = read.textItems.filter((item) => item.confidence !== undefined)
  const { verdict, agreement } = judgeLayer(overPicture, recognised, confidence.mean)
  if (verdict === 'wrong') return null
  const ink = readInk(mask, wordsOf(page))
  const problems: PageProblem[] = leavesInk(ink, 0) ? ['unread_ink'] : []
  const layer = { verdict: verdict === 'right' ? ('right' as const) : ('unsure' as const), agreement }
  return reading({ ...entry, page }, { ink, layer, problems })
}

interface Findings {
  readonly ink: InkReading | null
  readonly layer: LayerCheck | null
}

interface Merge extends Findings {
  readonly outcome: OcrOutcome
  readonly kept: TextItem[]
  /**
   * Subset of the kept text: the invisible layer that the picture did not confirm. Recognised text is better evidence.
   */
  readonly unsure: ReadonlySet<TextItem>
  /** Kept text under paint. The recognised text already contains it, in position. */
  readonly painted: ReadonlySet<TextItem>
  readonly garbled: boolean
}

function merged(
  entry: ReadPage,
  page: ParsedPage,
  { outcome, kept, unsure, painted, garbled, ...found }: Merge,
): PageReading {
  const native = { ...page, textItems: kept }
  if (outcome.kind === 'blank') return reading({ ...entry, page: native }, { ...found, problems: [] })
  if (outcome.kind === 'too_large') return reading({ ...entry, page: native }, { ...found, problems: ['too_large'] })
  if (garbled && lettersOf(page) >= MIN_LAYER && outcome.score < BETTER_THAN_GARBLED) {
    return reading({ ...entry, page: native }, { ...found, ocr: outcome, problems: ['doubtful_text'] })
  }
  const ink = outcome.ink
  const problems: PageProblem[] = outcome.complete ? [] : ['ocr_time']
  const confirmed = unsure.size > 0 && outcome.score >= BETTER_THAN_GARBLED
  if (unsure.size > 0 && !confirmed && found.layer === null) problems.push('unconfirmed_layer')
  const letters = lettersIn(outcome.page.textItems)
  const recognised = lettersIn(outcome.page.textItems.filter((item) => item.confidence !== undefined))
  const { doubtfulShare } = outcome.confidence
  const ofPage = doubtfulShare * (recognised / Math.max(1, letters))
  if (leavesInk(ink, ofPage) || leavesInkInScan(ink, { letters, recognised }, doubtfulShare))
    problems.push('unread_ink')
  const doubtful = isDoubtful(outcome.confidence.mean, recognised / Math.max(1, letters), found.ink)
  if (doubtful || hasMuchBroken(outcome)) problems.push('doubtful_text')
  const missing = kept.filter((item) => !painted.has(item) && !(confirmed && unsure.has(item)))
  const textItems = garbled ? outcome.page.textItems : mergeNativeText(outcome.page.textItems, missing)
  const layer = confirmed ? null : found.layer
  return reading({ ...entry, page: { ...outcome.page, textItems } }, { ink, layer, ocr: outcome, problems })
}

function isDoubtful(confidence: number, recognisedShare: number, drawn: InkReading | null): boolean {
  if (drawn !== null && isNoisy(drawn)) return confidence < MIN_IN_NOISE
  return recognisedShare > MUCH_RECOGNISED && confidence < MIN_CONFIDENCE
}

/** True if streaks and shadows broke too many words for nine of ten to be correct. */
function hasMuchBroken({ brokenWords, ink, page }: OcrReading): boolean {
  const words = page.textItems.flatMap(({ text }) => text.split(/\s+/).filter((word) => word !== '')).length
  return brokenWords >= MIN_BROKEN && brokenWords / words + ink.unreadShare >= MUCH_BROKEN
}

/** Merges the recognised text with the native text that it does not cover. */
function mergeNativeText(read: readonly TextItem[], kept: readonly TextItem[]): TextItem[] {
  const boxes = read.map(boxOf)
  return [...read, ...kept.filter((item) => coveredShare(boxOf(item), boxes) < SAME_TEXT)]
}

/** Returns the covered fraction of a box. The covering boxes do not overlap each other. */
function coveredShare(box: Box, boxes: readonly Box[]): number {
  const area = boxes.reduce((sum, other) => {
    const [across, down] = [shared(box.x0, box.x1, other.x0, other.x1), shared(box.y0, box.y1, other.y0, other.y1)]
    return sum + Math.max(0, across) * Math.max(0, down)
  }, 0)
  return area / Math.max(1, (box.x1 - box.x0) * (box.y1 - box.y0))
}

interface ReadingParts {
  readonly ink?: InkReading | null
  readonly layer?: LayerCheck | null
  readonly ocr?: OcrReading | null
  readonly problems: readonly PageProblem[]
}

function reading(entry: ReadPage, { ink = null, layer = null, ocr = null, problems }: ReadingParts): PageReading {
  const items = entry.page?.textItems ?? []
  const recognised = items.filter((item) => item.confidence !== undefined)
  return {
    ...entry,
    problems: layer?.verdict === 'unsure' ? [...problems, 'unconfirmed_layer'] : problems,
    signals: {
      nativeLetters: lettersIn(items.filter((item) => item.confidence === undefined)),
      recognisedLetters: lettersIn(recognised),
      garbledLetters: garbledLetters(items),
      unreadShare: ink?.unreadShare ?? null,
      unreadLetters: ink?.unreadLetters ?? null,
      unreadPixelShare: ink?.unreadPixelShare ?? null,
      inkLetters: ink?.readLetters ?? null,
      plausibleShare: plausibleShare(recognised),
      lackingLanguages: ocr?.lacking ?? [],
      ghostShare: ink?.ghostShare ?? null,
      ocr: ocr?.confidence ?? null,
      layerAgreement: layer?.agreement ?? null,
    },
  }
}
