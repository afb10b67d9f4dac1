import { pagesBelow } from '#src/route/choose-pages.ts'
import { boughtText, engineText, type PageMark } from '../world/paged-documents.ts'
import type { FaultPlan } from '../plan.ts'
import type { StoredRecord } from './store-outside.ts'

/** Pages below it are bought: the default of `--quality-floor`. */
const FLOOR = 0.9

/** One sentence for each way in which a routed PDF is not put together of the right pages. */
export function pagedBreaches(
  marks: readonly PageMark[],
  { key, route, outcome }: StoredRecord,
  markdown: string,
  { routing, bursts }: Pick<FaultPlan, 'routing' | 'bursts'>,
): readonly string[] {
  const buyPages = routing?.buyPages ?? null
  // Fewer than five documents in a row are refused as their own: their pages keep the engine's reading.
  const mayBeRefused = bursts.some(({ reply }) => reply === 'portal')
  if (marks[0]?.kind === 'hard') {
    const isWhole = route?.whole === 'local-failed' || route === undefined
    return [
      ...(isWhole ? [] : [`${key}: the engine cannot read it, and its route is ${JSON.stringify(route)}`]),
      ...differing(key, markdown, marks.map(boughtText)),
    ]
  }
  const pages = route?.pages ?? []
  if (pages.length !== marks.length) return [`${key}: ${marks.length} pages, and the record has ${pages.length}`]
  const found: string[] = []
  const texts = marks.map((mark, at) => {
    const page = pages[at]
    const mayBe = [...reasonsOf(mark), ...(mayBeRefused && mark.grade < FLOOR ? ['service-failed'] : [])]
    if (page === undefined || page.page !== mark.page || !mayBe.includes(page.reason)) {
      found.push(`${key}: page ${mark.page} is ${JSON.stringify(page)}, and its reason may be ${mayBe.join(' or ')}`)
    }
    return page?.parser === 'service' ? boughtText(mark) : engineText(mark)
  })
  const wanted = pagesBelow({ qualityFloor: FLOOR, buyShare: 1, buyPages }, marks.map(outlookOf)).length
  const left = pages.filter(({ reason }) => reason === 'over-limit').length
  if (left !== wanted - Math.min(wanted, buyPages ?? Infinity)) {
    found.push(`${key}: ${left} of ${wanted} pages are over the limit of ${String(buyPages)}`)
  }
  const isPartial = pages.some(({ reason }) => reason === 'service-failed')
  if (isPartial !== (outcome === 'partial')) found.push(`${key}: it is ${outcome}, ${JSON.stringify(pages)}`)
  return [...found, ...differing(key, markdown, texts)]
}

const outlookOf = ({ page, grade }: PageMark) => ({ pageNumber: page, quality: grade })

function reasonsOf({ grade, isBroken }: PageMark): readonly string[] {
  if (grade >= FLOOR) return ['good']
  return isBroken ? ['service-failed', 'over-limit'] : ['bought', 'bought-before', 'over-limit']
}

/** Each page's text once, in order. */
function differing(key: string, markdown: string, texts: readonly string[]): readonly string[] {
  return markdown.trimEnd() === texts.join('\n\n')
    ? []
    : [`${key}: the Markdown is ${markdown}, not ${texts.join(' ')}`]
}
