import type { OcrConfidence } from './ocr/confidence.ts'
import type { ReadPage } from './text-layer.ts'

/** Why a page is not, or may not be, read as a whole. */
export type PageProblem =
  /** The PDF library could not read the page at all. */
  | 'unreadable'
  /** Ink that looks like text lies under no word that was read. */
  | 'unread_ink'
  /** What was read is likely to be wrong: OCR without confidence, or a grade below 0.5. */
  | 'doubtful_text'
  /** Recognised text in a language that the OCR has no data for: letters that other languages lack are wrong. */
  | 'foreign_language'
  /** Mode `fast` does not read pictures, and this page shows text in one. */
  | 'needs_ocr'
  /** The time for OCR was over before the page was read. */
  | 'ocr_time'
  /** Too large to draw: pictures on it were not inspected. */
  | 'too_large'
  /** An invisible text layer that could not be confirmed by what the page shows. */
  | 'unconfirmed_layer'

/** What is known of how a page was read; null where that was not inspected. */
export interface PageSignals {
  /** Letters of native text, and of recognised text, that were kept. */
  readonly nativeLetters: number
  readonly recognisedLetters: number
  /** Native letters without a meaning. */
  readonly garbledLetters: number
  /** Share of the text-like ink that lies under no word, 0 to 1, and about how many letters that is. */
  readonly unreadShare: number | null
  readonly unreadLetters: number | null
  /** Share of all ink of letters' size, specks and broken letters among it, that lies under no word. */
  readonly unreadPixelShare: number | null
  /** About how many letters of ink lie under words. */
  readonly inkLetters: number | null
  /** Share of recognised letters in tokens that are built like words or numbers, 0 to 1. */
  readonly plausibleShare: number | null
  /** English names of languages that text of the page was recognised in without their data. */
  readonly lackingLanguages: readonly string[]
  /** Share of the words' area that shows no ink. */
  readonly ghostShare: number | null
  readonly ocr: OcrConfidence | null
  /** Agreement of an invisible text layer with the picture below, 0 to 1. */
  readonly layerAgreement: number | null
}

/** Of a page that could not be read at all. */
export const NOTHING_KNOWN: PageSignals = {
  nativeLetters: 0,
  recognisedLetters: 0,
  garbledLetters: 0,
  unreadShare: null,
  unreadLetters: null,
  unreadPixelShare: null,
  inkLetters: null,
  plausibleShare: null,
  lackingLanguages: [],
  ghostShare: null,
  ocr: null,
  layerAgreement: null,
}

export interface PageReading extends ReadPage {
  readonly signals: PageSignals
  readonly problems: readonly PageProblem[]
}

/** `failed` where nothing is known of a page, `partial` where something is missing or doubtful. */
export function statusOf(problems: readonly PageProblem[]): 'ok' | 'partial' | 'failed' {
  if (problems.includes('unreadable')) return 'failed'
  return problems.length > 0 ? 'partial' : 'ok'
}
