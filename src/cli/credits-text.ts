import type { CreditRange } from '#src/route/audit/price-share.ts'
import { count } from './format.ts'

/** An interval that holds the final charge in 95 of 100 audits, by the price model. */
export function creditsText(range: CreditRange | null): string {
  if (range === null) return '-'
  return range.low === range.high ? count(range.low) : `${count(range.low)} to ${count(range.high)}`
}
