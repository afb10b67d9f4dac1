import { assertNever } from '../../src/document/assert-never.ts'
import { Random } from '../../test/support/random.ts'
import type { MixedPage } from './mix.ts'

export const POLICIES = ['routed', 'text length', 'whole documents', 'random', 'oracle'] as const
export type Policy = (typeof POLICIES)[number]

/** The order in which a policy buys the pages of a mix. */
export function orderOf(pages: readonly MixedPage[], policy: Policy): MixedPage[] {
  // Of pages that a policy cannot distinguish, any may come first.
  const random = new Random(11)
  const keyed = pages.map((page) => ({ page, chance: random.next() }))
  const by = (value: (page: MixedPage) => number): MixedPage[] =>
    keyed.toSorted((a, b) => value(a.page) - value(b.page) || a.chance - b.chance).map(({ page }) => page)
  switch (policy) {
    case 'routed':
      return by(({ page }) => Math.round(page.expected * 1000))
    // What a rule of thumb takes for a scan: few letters in the text layer.
    case 'text length':
      return by(({ page }) => page.draw.quality.signals.nativeLetters)
    case 'whole documents':
      return wholeDocuments(pages)
    case 'random':
      return by(() => 0)
    case 'oracle':
      return by(({ page }) => page.draw.f1)
    default:
      return assertNever(policy)
  }
}

/** Documents with any page that OCR had a part in, whole: those with the largest share of such pages first. */
function wholeDocuments(pages: readonly MixedPage[]): MixedPage[] {
  const documents = [...Map.groupBy(pages, ({ document }) => document).values()].map((own) => ({
    own,
    share: own.filter(({ page }) => page.draw.usedOcr).length / own.length,
  }))
  return documents.toSorted((a, b) => b.share - a.share).flatMap(({ own }) => own)
}
