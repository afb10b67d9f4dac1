import type { PageSignals } from '../pdf/page-reading.ts'

/** What a grade is computed from, each about 0 to 1, in the order of the model's weights. */
export const FEATURES = [
  'unreadShare',
  'unreadLetters',
  'noLetters',
  'ocrDoubt',
  'ocrDoubtfulShare',
  'ocrDroppedShare',
  'implausibleShare',
  'missingLetters',
  'ghostShare',
  'garbledShare',
  'layerDisagreement',
  'recognisedShare',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = Readonly<Record<Feature, number>>

/** Letters of unread ink at which that feature is 1. */
const MANY_LETTERS = 1_000

/** The features of a page; what was not looked at counts as in order. */
export function featuresOf(signals: PageSignals): Features {
  const { nativeLetters, recognisedLetters, ocr, inkLetters } = signals
  const letters = nativeLetters + recognisedLetters
  const recognised = letters === 0 ? (ocr === null ? 0 : 1) : recognisedLetters / letters
  const unread = signals.unreadLetters ?? 0
  return {
    unreadShare: signals.unreadShare ?? 0,
    unreadLetters: Math.min(1, Math.log1p(unread) / Math.log1p(MANY_LETTERS)),
    noLetters: letters === 0 && unread >= 3 ? 1 : 0,
    ocrDoubt: ocr === null ? 0 : recognised * (1 - ocr.mean),
    ocrDoubtfulShare: ocr === null ? 0 : recognised * ocr.doubtfulShare,
    ocrDroppedShare: ocr === null ? 0 : recognised * ocr.droppedShare,
    implausibleShare: recognised * (1 - (signals.plausibleShare ?? 1)),
    missingLetters: inkLetters === null ? 0 : Math.min(1, Math.max(0, Math.log((inkLetters + 10) / (letters + 10)))),
    ghostShare: signals.ghostShare ?? 0,
    garbledShare: letters === 0 ? 0 : signals.garbledLetters / letters,
    layerDisagreement: recognised > 0.5 ? 0 : 1 - (signals.layerAgreement ?? 1),
    recognisedShare: recognised,
  }
}
