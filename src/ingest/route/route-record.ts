import type { RoutedPage } from '#src/document/record.ts'
import type { PageOutlook, PageReason } from '#src/route/choose-pages.ts'
import type { Failure } from '#src/document/failure.ts'
import type { PagesBought } from './buy-pages.ts'

/** For each page of a document who parsed it, why, how well the engine had read it, and what it cost. `from`: by which part. */
export function routedPages(
  pages: readonly PageOutlook[],
  wanted: readonly number[],
  from: ReadonlyMap<number, number>,
  { parts, failed }: Pick<PagesBought, 'parts' | 'failed'>,
): RoutedPage[] {
  return pages.map(({ pageNumber, quality }): RoutedPage => {
    const all = parts.filter((one) => one.pages.includes(pageNumber))
    const part = parts[from.get(pageNumber) ?? -1]
    const paid = all.reduce((sum, { cost, pages: { length } }) => sum + cost.credits / length, 0)
    const reason = ((): PageReason => {
      if (part !== undefined) return part.cost.basis === 'saved' ? 'bought-before' : 'bought'
      if (all.length > 0 || failed.has(pageNumber)) return 'service-failed'
      if (wanted.includes(pageNumber)) return 'over-limit'
      return quality === null ? 'ungraded' : 'good'
    })()
    const common = { page: pageNumber, reason, grade: quality, credits: paid }
    if (part === undefined) return { ...common, parser: 'embedded' }
    return { ...common, parser: 'service', service: part.service }
  })
}

/** Why a document is only partial: pages below the floor for which the service gave nothing. */
export function problemsOf(pages: readonly RoutedPage[], failed: ReadonlyMap<number, Failure>): string[] {
  const numbers = pages.filter(({ reason }) => reason === 'service-failed').map(({ page }) => page)
  if (numbers.length === 0) return []
  const reasons = new Set(numbers.map((page) => failed.get(page)?.message ?? 'the answer held no text for it'))
  const named = numbers.slice(0, 10).join(', ') + (numbers.length > 10 ? ` and ${numbers.length - 10} more` : '')
  const subject = `${numbers.length === 1 ? 'page' : 'pages'} ${named}`
  return [`${subject} could not be bought and kept the engine's reading: ${[...reasons].slice(0, 3).join('; ')}`]
}
