import type { ParsedPage } from '@llamaindex/liteparse'

/** Fewer letters than this on a page that is one picture are a stamp or a page number, not its text. */
const FEW_LETTERS = 50

/** Whether a page shows text that its text layer does not hold: a scan, outlines, or letters without meaning. */
export function looksScanned(page: ParsedPage): boolean {
  const letters = page.textItems.reduce((sum, item) => sum + item.text.replace(/\s+/g, '').length, 0)
  const facts = page.complexity
  if (facts === undefined) return letters === 0
  if (facts.isGarbled) return true
  const drawn = facts.fullPageImage || facts.imageCoverage > 0.25 || (facts.uncoveredVectorArea ?? 0) > 0
  return drawn && letters < FEW_LETTERS
}
