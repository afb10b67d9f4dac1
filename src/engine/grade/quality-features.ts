import type { PageQuality } from '../conversion.ts'
import { FEATURES, featuresOf } from './grade-features.ts'

/** What the expected quality of a page is computed from: the features of the grade, and what only trees make use of. */
export const QUALITY_FEATURES = [
  ...FEATURES,
  'unreadPixels',
  'grain',
  'unreadLetters',
  'inkLetters',
  'letters',
  'lowestDoubt',
  'dropped',
  'languageDoubt',
  'recognised',
  'layerDoubt',
  'overlaps',
  'unreadByLetter',
  'inkByLetter',
  'hasOcr',
  'problems',
  'unreadInk',
  'doubtfulText',
  'unconfirmedLayer',
  'foreignLanguage',
] as const

const NAMED_PROBLEMS = ['unread_ink', 'doubtful_text', 'unconfirmed_layer', 'foreign_language'] as const

export type GradedQuality = Pick<PageQuality, 'signals' | 'layout' | 'problems'>

/** In the order of `QUALITY_FEATURES`; what was not examined counts as in order. Counts are logarithms. */
export function qualityFeaturesOf({ signals, layout, problems }: GradedQuality): number[] {
  const own = featuresOf(signals)
  const { nativeLetters, recognisedLetters, unreadLetters, inkLetters, ocr } = signals
  const letters = nativeLetters + recognisedLetters
  return [
    ...FEATURES.map((name) => own[name]),
    signals.unreadPixelShare ?? 0,
    signals.grainShare ?? 0,
    Math.log1p(unreadLetters ?? 0),
    Math.log1p(inkLetters ?? 0),
    Math.log1p(letters),
    ocr === null ? 0 : 1 - ocr.lowest,
    ocr?.droppedShare ?? 0,
    1 - (signals.languageCertainty ?? 1),
    letters === 0 ? 0 : recognisedLetters / letters,
    1 - (signals.layerAgreement ?? 1),
    1 - (layout.layout ?? 1),
    Math.log(((unreadLetters ?? 0) + 1) / (letters + 1)),
    inkLetters === null ? 0 : Math.log((inkLetters + 10) / (letters + 10)),
    ocr === null ? 0 : 1,
    problems.length,
    ...NAMED_PROBLEMS.map((problem) => (problems.includes(problem) ? 1 : 0)),
  ]
}
