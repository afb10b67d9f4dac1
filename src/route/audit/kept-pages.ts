import { createHash } from 'node:crypto'
import type { ContentHash } from '#src/document/ids.ts'
import type { ComparedPage } from '#src/document/record.ts'

/** Pages that the engine's reading was kept for, compared with the service's (`auditShare`). */
export interface KeptComparison {
  readonly pages: number
  /** Of which the two texts differ: fewer than nine of ten words in common (F1). */
  readonly different: number
  /** How many of them the predictor expected to be bad. */
  readonly expected: number
}

export const NO_COMPARISON: KeptComparison = { pages: 0, different: 0, expected: 0 }

/** Answers that agree less are counted as different. */
export const SAME_TEXT = 0.9

/** The pages that are drawn: always the same of the same document, and more with a larger share. */
export function drawnPages(content: ContentHash, pages: readonly number[], share: number): readonly number[] {
  return pages.filter((page) => {
    const drawn = createHash('sha256').update(`${content}\0audit\0${page}`).digest().readUInt32BE()
    return drawn < share * 2 ** 32
  })
}

/** Share of the pages that a service itself gets wrong: so many more may differ. */
const SERVICE_NOISE = 0.02

/** How improbable it is that so many pages differ while the predictor is right, for drift to be reported. */
const SURPRISE = 0.01

/** Whether more pages differ than the predictor and a service that errs now and then explain. */
export function isDrift({ pages, different, expected }: KeptComparison): boolean {
  return different > 0 && poissonTail(different, expected + SERVICE_NOISE * pages) < SURPRISE
}

/** Probability of `least` events or more where `mean` are expected. */
function poissonTail(least: number, mean: number): number {
  let term = Math.exp(-mean)
  let below = 0
  for (let count = 0; count < least; count += 1) {
    below += term
    term *= mean / (count + 1)
  }
  return Math.max(0, 1 - below)
}

/** The same with one more page. */
export const withPage = (
  { pages, different, expected }: KeptComparison,
  { agreement, risk }: Pick<ComparedPage, 'agreement' | 'risk'>,
): KeptComparison => ({
  pages: pages + 1,
  different: different + (agreement < SAME_TEXT ? 1 : 0),
  expected: expected + risk,
})
