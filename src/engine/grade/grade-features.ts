import type { PageSignals } from '../pdf/page-reading.ts'

/** What a grade is computed from, each 0 to 1, in the order of the model's weights. */
export const FEATURES = [
  'unreadShare',
  'unreadRoot',
  'ocrDoubt',
  'ocrDoubtfulShare',
  'implausibleShare',
  'missingLetters',
  'ghostShare',
  'layerDisagreement',
  'fewLetters',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = Readonly<Record<Feature, number>>

/** Letters of a full page. */
const FULL_PAGE_LETTERS = 3_000

/** The features of a page; what was not inspected counts as in order. */
export function featuresOf(signals: PageSignals): Features {
  const { nativeLetters, recognisedLetters, ocr, inkLetters, unreadShare } = signals
  const letters = nativeLetters + recognisedLetters
  const recognised = letters === 0 ? (ocr === null ? 0 : 1) : recognisedLetters / letters
  return {
    unreadShare: unreadShare ?? 0,
    // A tenth of the words is what matters: the root separates 0.02 from 0.1, the share 0.1 from 0.9.
    unreadRoot: Math.sqrt(unreadShare ?? 0),
    ocrDoubt: ocr === null ? 0 : recognised * (1 - ocr.mean),
    ocrDoubtfulShare: ocr === null ? 0 : recognised * ocr.doubtfulShare,
    implausibleShare: recognised * (1 - (signals.plausibleShare ?? 1)),
    missingLetters: inkLetters === null ? 0 : Math.min(1, Math.max(0, Math.log((inkLetters + 10) / (letters + 10)))),
    ghostShare: signals.ghostShare ?? 0,
    layerDisagreement: recognised > 0.5 ? 0 : 1 - (signals.layerAgreement ?? 1),
    fewLetters: letters === 0 ? 0 : 1 - Math.min(1, Math.log1p(letters) / Math.log1p(FULL_PAGE_LETTERS)),
  }
}
