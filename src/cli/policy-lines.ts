import Table from 'cli-table3'
import { creditsText } from './credits-text.ts'
import { plural } from './format.ts'
import type { PolicyPrice, PolicyTotals } from './plan-policies.ts'

/** The prices of policies below a plan; nothing where no PDF would be sent. */
export function policyLines({ read, unread, others }: PolicyTotals, prices: readonly PolicyPrice[]): string[] {
  if (prices.length === 0 || read + unread.documents === 0) return []
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
    ...(others > 0 ? [`${plural(others, 'document')} of other formats: bought under the policy service alone`] : []),
  ]
}
