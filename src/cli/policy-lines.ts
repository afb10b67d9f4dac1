import Table from 'cli-table3'
import { creditsText } from './credits-text.ts'
import { count, plural } from './format.ts'
import type { PolicyPrice, PolicyTotals } from './plan-policies.ts'

/** The prices of policies below a plan; nothing where no PDF would be sent and nothing of other formats is to be bought. */
export function policyLines(totals: PolicyTotals, prices: readonly PolicyPrice[]): string[] {
  const { read, unread, others, unreadOthers } = totals
  const isFree = totals.prices.every(({ mostCredits }) => mostCredits === 0)
  if (prices.length === 0 || (read + unread.documents === 0 && isFree)) return []
  const table = new Table({
    head: ['policy', 'credits'],
    colAligns: ['left', 'right'],
    style: { head: [], border: [] },
  })
  for (const { policy, credits } of prices) table.push([policy, creditsText(credits)])
  const isOpen = prices.some(({ credits }) => credits === null)
  const unknown = `${plural(unread.documents, 'PDF')} not read by the embedded engine yet`
  return [
    table.toString(),
    ...(isOpen
      ? [`${unknown}: run once without --parse-api-url for exact prices, or give --audit for an interval`]
      : []),
    ...(!isOpen && unread.documents > 0 ? [`${unknown}: priced from the audit, with 95 % confidence`] : []),
    ...(others > 0 ? [othersLine(others, unreadOthers.documents)] : []),
  ]
}

function othersLine(others: number, unread: number): string {
  const what = `${plural(others, 'document')} of other formats: local-first buys those that the engine cannot read whole`
  return unread === 0 ? what : `${what}; ${count(unread)} not read by it yet, from 0 to their price`
}
