import { lettersIn, plausibleShare } from './page/letters.ts'
import type { PageReading } from './page-reading.ts'

/** Threshold in letters. Less text is a mark of a form or a logo. */
const MIN_LETTERS = 8
/**
 * Threshold: fraction of tokens with the shape of words. Text above it is correct: this machine has its font, or the
 * library errs.
 */
const LIKE_WORDS = 0.6

/**
 * Adds a problem to a page if its native text lacks the shape of words and its encoding is doubtful. Its fonts map no
 * characters, or the library reports the page as garbled. Text from OCR does not count.
 */
export function withMeaninglessText(reading: PageReading, unmappedFonts: ReadonlySet<string>): PageReading {
  const { page, problems, signals } = reading
  const isGarbled = page?.complexity?.isGarbled === true
  if (page === null || (unmappedFonts.size === 0 && !isGarbled)) return reading
  const items = page.textItems.filter(
    ({ fontName, confidence }) => confidence === undefined && (isGarbled || unmappedFonts.has(fontName ?? '')),
  )
  const letters = lettersIn(items)
  if (letters < MIN_LETTERS || (plausibleShare(items) ?? 1) >= LIKE_WORDS) return reading
  return {
    ...reading,
    problems: problems.includes('doubtful_text') ? problems : [...problems, 'doubtful_text'],
    signals: { ...signals, garbledLetters: Math.max(signals.garbledLetters, letters) },
  }
}
