/** OCR confidence of a page, over all recognised letters, dropped ones included. */
export interface OcrConfidence {
  /** Mean over letters, 0 to 1. */
  readonly mean: number
  /** Fraction of letters below the threshold of 0.6. */
  readonly doubtfulShare: number
  /** 10th percentile of the confidence over letters. */
  readonly lowest: number
}

/** Quality of a page's layout, each 0 to 1. Null for a page without the element. Reported in addition to the grade. */
export interface LayoutQuality {
  /** Fraction of text in blocks without overlap. The order of overlapping blocks is a guess. */
  readonly layout: number | null
  /** Fraction of table cells with text. A wrongly parsed table has empty cells. */
  readonly tables: number | null
}

/** Reason why a page is, or may be, incomplete. */
export type PageProblem =
  /** The PDF library could not parse the page. */
  | 'unreadable'
  /** Ink with the shape of text has no word over it. */
  | 'unread_ink'
  /** The text is likely wrong: OCR with low confidence, or a grade below 0.5. */
  | 'doubtful_text'
  /** Recognised text in a language without OCR data. Its special letters are wrong. */
  | 'foreign_language'
  /** Mode `fast` does not read pictures, and this page shows text in a picture. */
  | 'needs_ocr'
  /** The OCR budget ran out before the page was read. */
  | 'ocr_time'
  /** Too large to draw, so pictures on it were not inspected. */
  | 'too_large'
  /** The page's picture did not confirm its invisible text layer. */
  | 'unconfirmed_layer'

/** Signals of a page's reading. Null without inspection. */
export interface PageSignals {
  /** Number of letters of native and of recognised text in the result. */
  readonly nativeLetters: number
  readonly recognisedLetters: number
  /** Number of native letters without a meaning. */
  readonly garbledLetters: number
  /** Text-like ink without a word: fraction from 0 to 1, and estimated number of glyphs. */
  readonly unreadShare: number | null
  readonly unreadLetters: number | null
  /** Fraction of all ink of glyph size without a word, specks and fragments included. */
  readonly unreadPixelShare: number | null
  /** Estimated number of glyphs of ink below words. */
  readonly inkLetters: number | null
  /** Fraction of recognised letters in tokens with the shape of words or numbers, 0 to 1. */
  readonly plausibleShare: number | null
  /** English names of the page's languages that OCR read without their data. */
  readonly lackingLanguages: readonly string[]
  /** Fraction of the word area without ink. */
  readonly ghostShare: number | null
  readonly ocr: OcrConfidence | null
  /** Agreement of an invisible text layer with the picture below, 0 to 1. */
  readonly layerAgreement: number | null
}

/** Signals of an unreadable page. */
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

/** Reading of a page: its problems, and the input of its grade. */
export interface PageQuality {
  /** 1-based. */
  readonly pageNumber: number
  readonly problems: readonly PageProblem[]
  readonly signals: PageSignals
  readonly layout: LayoutQuality
}
