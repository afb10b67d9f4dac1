import type { PageSignals } from './signals.ts'

/** What a grade is computed from, each 0 to 1, in the order of the model's weights. */
export const FEATURES = [
  'unreadNative',
  'ocrDoubt',
  'lowestDoubt',
  'implausibleShare',
  'missingLetters',
  'ghostShare',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = Readonly<Record<Feature, number>>

/** The features of a page; what was not inspected counts as in order. */
export function featuresOf(signals: PageSignals): Features {
  const { nativeLetters, recognisedLetters, ocr, inkLetters, unreadShare } = signals
  const letters = nativeLetters + recognisedLetters
  const recognised = letters === 0 ? (ocr === null ? 0 : 1) : recognisedLetters / letters
  return {
    // Beside native text unread ink is print. On a scan it is noise, rules or print of the reverse side as often.
    // A tenth of the words is what matters: the root separates 0.02 from 0.1, the share 0.1 from 0.9.
    unreadNative: (1 - recognised) * Math.sqrt(unreadShare ?? 0),
    ocrDoubt: ocr === null ? 0 : recognised * (1 - ocr.mean),
    // A misread tenth among nine good ones changes the mean little.
    lowestDoubt: ocr === null ? 0 : recognised * (1 - ocr.lowest),
    implausibleShare: recognised * (1 - (signals.plausibleShare ?? 1)),
    missingLetters: inkLetters === null ? 0 : Math.min(1, Math.max(0, Math.log((inkLetters + 10) / (letters + 10)))),
    ghostShare: signals.ghostShare ?? 0,
  }
}
