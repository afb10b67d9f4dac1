import type { Word } from '../../../src/pdf/geometry/words.ts'

const UPRIGHT = {
  weight: 400,
  italic: false,
  monospaced: false,
  math: false,
  confidence: null,
  link: null,
  turned: 0,
} as const

/** A word in upright type at the origin, as wide as it is high. */
export function plainWord(text: string, size: number): Word {
  return { ...UPRIGHT, text, size, x0: 0, x1: size, y0: 0, y1: size, baseline: size }
}
