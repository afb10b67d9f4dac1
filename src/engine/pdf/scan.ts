import type { ParsedPage } from '@llamaindex/liteparse'

/** Fewer letters than this on a page that is one picture are a stamp or a page number, not its text. */
export const FEW_LETTERS = 50
/** Pictures over this share of a page may hold its text. */
const MUCH_PICTURE = 0.25

/** Whether a page shows text that its text layer does not hold: a scan, outlines, or letters without meaning. */
export function looksScanned(page: ParsedPage): boolean {
  const letters = lettersOf(page)
  const facts = page.complexity
  if (facts === undefined) return letters === 0
  if (facts.isGarbled) return true
  const drawn = facts.fullPageImage || facts.imageCoverage > MUCH_PICTURE || (facts.uncoveredVectorArea ?? 0) > 0
  return drawn && letters < FEW_LETTERS
}

export function lettersOf(page: ParsedPage): number {
  return page.textItems.reduce((sum, item) => sum + item.text.replace(/\s+/g, '').length, 0)
}
