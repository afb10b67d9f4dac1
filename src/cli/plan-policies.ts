import type { AuditFile } from '#src/route/audit/audit-file.ts'
import { type CreditRange, priceFromSample } from '#src/route/audit/price-share.ts'
import { type LocalFirstPrice, PRICED_QUALITIES } from '#src/ingest/scan/price-local-first.ts'
import type { PlannedItem } from '#src/ingest/scan/plan-source.ts'

/** What each policy would buy of a plan. */
export interface PolicyTotals {
  /** PDFs to send that the embedded engine has read, and what is bought of them by quality. */
  readonly read: number
  readonly prices: readonly LocalFirstPrice[]
  /** PDFs to send that it has not read, with their pages. */
  readonly unread: { readonly documents: number; readonly pages: number }
  /** Documents of other formats to send: they stay local under local-first. */
  readonly others: number
  /** What the policy `service` buys, where the first service of an order answers well. */
  readonly leastCredits: number
}

export const NO_POLICIES: PolicyTotals = {
  read: 0,
  prices: PRICED_QUALITIES.map((quality) => ({ quality, pages: 0, credits: 0, mostCredits: 0 })),
  unread: { documents: 0, pages: 0 },
  others: 0,
  leastCredits: 0,
}

export function addPolicies(
  before: PolicyTotals,
  { requests, extension, pages, localFirst, leastCredits, stays }: PlannedItem,
): PolicyTotals {
  // What must stay on this machine, by name or by a rule, costs nothing under any policy.
  if (requests === 0 || stays) return before
  const totals = { ...before, leastCredits: before.leastCredits + leastCredits }
  if (extension !== 'pdf') return { ...totals, others: totals.others + 1 }
  if (localFirst === null) {
    const { unread } = totals
    return { ...totals, unread: { documents: unread.documents + 1, pages: unread.pages + (pages ?? 1) } }
  }
  const prices = totals.prices.map((sum, at) => ({
    quality: sum.quality,
    pages: sum.pages + (localFirst[at]?.pages ?? 0),
    credits: sum.credits + (localFirst[at]?.credits ?? 0),
    mostCredits: sum.mostCredits + (localFirst[at]?.mostCredits ?? 0),
  }))
  return { ...totals, read: totals.read + 1, prices }
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
  { prices, unread, leastCredits }: PolicyTotals,
  serviceCredits: number,
  audit: Pick<AuditFile, 'sample' | 'pages' | 'firstPageCredits' | 'furtherPageCredits'> | null,
): PolicyPrice[] {
  const localFirst = prices.map(({ quality, credits, mostCredits }) => {
    const rest = unread.pages === 0 ? { low: 0, high: 0 } : sampled(quality, unread, audit)
    const range = rest === null ? null : { low: credits + rest.low, high: mostCredits + rest.high }
    return { policy: `local-first, page quality ${quality}`, credits: range }
  })
  return [
    { policy: 'local', credits: { low: 0, high: 0 } },
    ...localFirst,
    { policy: 'service', credits: { low: leastCredits, high: serviceCredits } },
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
