import type { PageQuality } from './signals.ts'
import { FEATURES, featuresOf } from './grade-features.ts'

/** What the expected quality of a page is computed from: the features of the grade, and what only trees make use of. */
export const QUALITY_FEATURES = [...FEATURES, 'unreadPixels', 'letters', 'problems'] as const

export type GradedQuality = Pick<PageQuality, 'signals' | 'problems'>

/** In the order of `QUALITY_FEATURES`; what was not examined counts as in order. Letters are a logarithm. */
export function qualityFeaturesOf({ signals, problems }: GradedQuality): number[] {
  const own = featuresOf(signals)
  return [
    ...FEATURES.map((name) => own[name]),
    signals.unreadPixelShare ?? 0,
    Math.log1p(signals.nativeLetters + signals.recognisedLetters),
    problems.length,
  ]
}
