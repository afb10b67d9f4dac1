import type { Failure } from '#src/document/failure.ts'
import type { RoutedPage } from '#src/document/record.ts'
import type { PageOutlook, PageReason } from '#src/route/choose-pages.ts'
import type { PagesBought } from './buy-pages.ts'

/** For each page of a document who parsed it, why, how well the engine had read it, and what it cost. */
export function routedPages(
  pages: readonly PageOutlook[],
  wanted: readonly number[],
  used: ReadonlySet<number>,
  { parts, failed }: Pick<PagesBought, 'parts' | 'failed'>,
): RoutedPage[] {
  return pages.map(({ pageNumber, quality }): RoutedPage => {
    const part = parts.find((one) => one.pages.includes(pageNumber))
    const isUsed = part !== undefined && used.has(pageNumber)
    const paid = part === undefined ? 0 : part.cost.credits / part.pages.length
    const reason = ((): PageReason => {
      if (isUsed) return part.cost.basis === 'saved' ? 'bought-before' : 'bought'
      if (part !== undefined || failed.has(pageNumber)) return 'service-failed'
      if (wanted.includes(pageNumber)) return 'over-limit'
      return quality === null ? 'ungraded' : 'good'
    })()
    return { page: pageNumber, parser: isUsed ? 'service' : 'embedded', reason, grade: quality, credits: paid }
  })
}

/** Why a document is only partial: pages below the floor for which the service gave nothing. */
export function problemsOf(pages: readonly RoutedPage[], failed: ReadonlyMap<number, Failure>): string[] {
  const left = pages.filter(({ reason }) => reason === 'service-failed')
  if (left.length === 0) return []
  const codes = new Set(left.map(({ page }) => failed.get(page)?.message ?? 'the answer held no text for it'))
  const numbers = left.map(({ page }) => page)
  const named = numbers.slice(0, 10).join(', ') + (numbers.length > 10 ? ` and ${numbers.length - 10} more` : '')
  const reasons = [...codes].slice(0, 3).join('; ')
  return [
    `${left.length === 1 ? 'page' : 'pages'} ${named} could not be bought and kept the engine's reading: ${reasons}`,
  ]
}
