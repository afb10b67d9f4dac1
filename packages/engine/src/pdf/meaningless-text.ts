import { lettersIn, plausibleShare } from './page/letters.ts'
import type { PageReading } from './page-reading.ts'

/** Letters fewer than this are a mark of a form or a logo. */
const LEAST_LETTERS = 8
/** Text of which so much is built like words came out right all the same: its font is on this machine, or the library errs. */
const LIKE_WORDS = 0.6

/**
 * The page as it was read, doubtful where its native text says nothing: it is in fonts that name no characters, or the library
 * finds the page garbled, and it is not built like words. What OCR put in its place is left out of this.
 */
export function withMeaninglessText(reading: PageReading, unmappedFonts: ReadonlySet<string>): PageReading {
  const { page, problems, signals } = reading
  const isGarbled = page?.complexity?.isGarbled === true
  if (page === null || (unmappedFonts.size === 0 && !isGarbled)) return reading
  const items = page.textItems.filter(
    ({ fontName, confidence }) => confidence === undefined && (isGarbled || unmappedFonts.has(fontName ?? '')),
  )
  const letters = lettersIn(items)
  if (letters < LEAST_LETTERS || (plausibleShare(items) ?? 1) >= LIKE_WORDS) return reading
  return {
    ...reading,
    problems: problems.includes('doubtful_text') ? problems : [...problems, 'doubtful_text'],
    signals: { ...signals, garbledLetters: Math.max(signals.garbledLetters, letters) },
  }
}
