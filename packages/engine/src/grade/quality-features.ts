import type { PageQuality } from './signals.ts'
import { FEATURES, featuresOf } from './grade-features.ts'

/** Input features of the expected quality: the grade's features, and features that only trees use. */
export const QUALITY_FEATURES = [...FEATURES, 'unreadPixels', 'letters', 'problems'] as const

export type GradedQuality = Pick<PageQuality, 'signals' | 'problems'>

/** In the order of `QUALITY_FEATURES`. A feature without inspection counts as perfect. Letters are logarithmic. */
export function qualityFeaturesOf({ signals, problems }: GradedQuality): number[] {
  const own = featuresOf(signals)
  return [
    ...FEATURES.map((name) => own[name]),
    signals.unreadPixelShare ?? 0,
    Math.log1p(signals.nativeLetters + signals.recognisedLetters),
    problems.length,
  ]
}
