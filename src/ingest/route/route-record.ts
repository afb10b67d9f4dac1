import type { RoutedPage } from '#src/document/record.ts'
import type { PageOutlook, PageReason } from '#src/route/choose-pages.ts'
import type { BoughtInOrder, PageFailure } from './buy-in-order.ts'

/** For each page of a document who parsed it, why, how well the engine had read it, and what it cost. `from`: by which part. */
export function routedPages(
  pages: readonly PageOutlook[],
  wanted: readonly number[],
  from: ReadonlyMap<number, number>,
  { parts, failed }: Pick<BoughtInOrder, 'parts' | 'failed'>,
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

/**
 * Why a document is only partial: pages below the floor for which a service gave nothing. What failed before another
 * service answered is no problem of the page. `services`: their names in their order.
 */
export function problemsOf(
  pages: readonly RoutedPage[],
  failed: ReadonlyMap<number, PageFailure>,
  services: readonly string[],
): string[] {
  const left = pages.filter(({ reason }) => reason === 'service-failed')
  const kept = pages.filter(
    ({ page, service }) => service !== undefined && (failed.get(page)?.at ?? -1) > services.indexOf(service),
  )
  return [
    ...problem(left, "could not be bought and kept the engine's reading", failed),
    ...problem(kept, 'could not be bought at the next service and kept the answer of the one before', failed),
  ]
}

function problem(pages: readonly RoutedPage[], what: string, failed: ReadonlyMap<number, PageFailure>): string[] {
  if (pages.length === 0) return []
  const codes = new Set(pages.map(({ page }) => failed.get(page)?.failure.message ?? 'the answer held no text for it'))
  const numbers = pages.map(({ page }) => page)
  const named = numbers.slice(0, 10).join(', ') + (numbers.length > 10 ? ` and ${numbers.length - 10} more` : '')
  return [`${pages.length === 1 ? 'page' : 'pages'} ${named} ${what}: ${[...codes].slice(0, 3).join('; ')}`]
}
