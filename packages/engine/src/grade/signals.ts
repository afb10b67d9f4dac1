/** How sure the OCR was of a page, counted over all it saw, before anything is dropped. */
export interface OcrConfidence {
  /** Mean over letters, 0 to 1. */
  readonly mean: number
  /** Share of letters below 0.6. */
  readonly doubtfulShare: number
  /** Of the tenth of the letters that it was least sure of, the highest confidence. */
  readonly lowest: number
}

/** How sound the layout of a page is, each 0 to 1; null for a page without that. Reported beside the grade. */
export interface LayoutQuality {
  /** Share of the text in blocks that overlap no other: the order of overlapping blocks is a guess. */
  readonly layout: number | null
  /** Share of the cells of its tables that hold text: a table put together wrongly has holes. */
  readonly tables: number | null
}

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

/** How a page was read: its problems, and what its grade is computed from. */
export interface PageQuality {
  /** 1-based. */
  readonly pageNumber: number
  readonly problems: readonly PageProblem[]
  readonly signals: PageSignals
  readonly layout: LayoutQuality
}
