import type { AuditFile } from '#src/route/audit/audit-file.ts'
import { type CreditRange, priceFromSample } from '#src/route/audit/price-share.ts'
import { type LocalFirstPrice, PRICED_QUALITIES } from '#src/ingest/scan/price-local-first.ts'
import type { PlannedItem } from '#src/ingest/scan/plan-source.ts'

/** What each policy would buy of a plan. */
export interface PolicyTotals {
  /** PDFs that the embedded engine has read or refused. */
  readonly read: number
  /** What is bought of documents that it has read or refused, by quality. */
  readonly prices: readonly LocalFirstPrice[]
  /** PDFs to send that it has not read, with their pages. */
  readonly unread: { readonly documents: number; readonly pages: number }
  /** Documents of other formats: bought as a whole under local-first where the engine could not read all of them. */
  readonly others: number
  /** Those of them that it has not read, with the most that they cost. */
  readonly unreadOthers: { readonly documents: number; readonly credits: number }
  /** What the policy `service` buys, where the first service of an order answers well. */
  readonly leastCredits: number
  /** The most that it buys. */
  readonly credits: number
}

export const NO_POLICIES: PolicyTotals = {
  read: 0,
  prices: PRICED_QUALITIES.map((quality) => ({ quality, pages: 0, credits: 0, mostCredits: 0 })),
  unread: { documents: 0, pages: 0 },
  others: 0,
  unreadOthers: { documents: 0, credits: 0 },
  leastCredits: 0,
  credits: 0,
}

export function addPolicies(before: PolicyTotals, planned: PlannedItem): PolicyTotals {
  const { requests, extension, pages, localFirst, credits, leastCredits, stays } = planned.asService ?? planned
  // What must stay on this machine, by name or by a rule, costs nothing under any policy.
  if ((requests === 0 && localFirst === null) || stays) return before
  const totals = {
    ...before,
    leastCredits: before.leastCredits + leastCredits,
    credits: before.credits + credits,
  }
  const isPdf = extension === 'pdf'
  const others = totals.others + (isPdf ? 0 : 1)
  if (localFirst === null && isPdf) {
    const { unread } = totals
    return { ...totals, unread: { documents: unread.documents + 1, pages: unread.pages + (pages ?? 1) } }
  }
  if (localFirst === null) {
    const { unreadOthers: unread } = totals
    return { ...totals, others, unreadOthers: { documents: unread.documents + 1, credits: unread.credits + credits } }
  }
  const prices = totals.prices.map((sum, at) => ({
    quality: sum.quality,
    pages: sum.pages + (localFirst[at]?.pages ?? 0),
    credits: sum.credits + (localFirst[at]?.credits ?? 0),
    mostCredits: sum.mostCredits + (localFirst[at]?.mostCredits ?? 0),
  }))
  return { ...totals, others, read: totals.read + (isPdf ? 1 : 0), prices }
}

/** The price of one policy; `credits` null where nothing is known of documents that were not read. */
export interface PolicyPrice {
  readonly policy: string
  readonly credits: CreditRange | null
}

/**
 * Every policy priced: exactly for what the embedded engine has read, from an audit as an interval for the rest. Where several services
 * are asked in an order, from what the first one charges to what all of them do.
 */
export function policyPrices(
  { prices, unread, unreadOthers, leastCredits, credits: mostCredits }: PolicyTotals,
  audit: Pick<AuditFile, 'sample' | 'pages' | 'firstPageCredits' | 'furtherPageCredits'> | null,
  buyShare = 1,
): PolicyPrice[] {
  const localFirst = prices.map(({ quality, credits, mostCredits: most }) => {
    const rest = unread.pages === 0 ? { low: 0, high: 0 } : sampled(quality, unread, audit)
    // A share may leave all pages of documents whose pages are not known one by one.
    const least = buyShare < 1 ? 0 : (rest?.low ?? 0)
    const range = rest === null ? null : { low: credits + least, high: most + rest.high + unreadOthers.credits }
    return { policy: `local-first, page quality ${quality}`, credits: range }
  })
  return [
    { policy: 'local', credits: { low: 0, high: 0 } },
    ...localFirst,
    { policy: 'service', credits: { low: leastCredits, high: mostCredits } },
  ]
}

function sampled(
  quality: number,
  unread: PolicyTotals['unread'],
  audit: Pick<AuditFile, 'sample' | 'pages' | 'firstPageCredits' | 'furtherPageCredits'> | null,
): CreditRange | null {
  if (audit === null || audit.sample.length === 0) return null
  const hard = audit.sample.filter(({ expectedQuality }) => expectedQuality < quality).length
  // Of a part of the source the sample says what pages are like, and holds few of them.
  const areIncluded = audit.pages === unread.pages
  return priceFromSample({ hard, sampled: audit.sample.length, areIncluded }, { ...audit, ...unread })
}
