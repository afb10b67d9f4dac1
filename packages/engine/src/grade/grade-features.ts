import type { PageSignals } from './signals.ts'

/** Input features of a grade, each 0 to 1, in the order of the model's weights. */
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

/** Returns the features of a page. A feature without inspection counts as perfect. */
export function featuresOf(signals: PageSignals): Features {
  const { nativeLetters, recognisedLetters, ocr, inkLetters, unreadShare } = signals
  const letters = nativeLetters + recognisedLetters
  const recognised = letters === 0 ? (ocr === null ? 0 : 1) : recognisedLetters / letters
  return {
    // On a page with native text, unread ink is print. On a scan, it is as often noise, rules or print of the reverse
    // side. The difference at a tenth of the words matters: the root separates 0.02 from 0.1, the fraction 0.1 from
    // 0.9.
    unreadNative: (1 - recognised) * Math.sqrt(unreadShare ?? 0),
    ocrDoubt: ocr === null ? 0 : recognised * (1 - ocr.mean),
    // A misread tenth among nine good ones changes the mean little.
    lowestDoubt: ocr === null ? 0 : recognised * (1 - ocr.lowest),
    implausibleShare: recognised * (1 - (signals.plausibleShare ?? 1)),
    missingLetters: inkLetters === null ? 0 : Math.min(1, Math.max(0, Math.log((inkLetters + 10) / (letters + 10)))),
    ghostShare: signals.ghostShare ?? 0,
  }
}
