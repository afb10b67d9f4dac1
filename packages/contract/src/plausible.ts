/*
 * JSON can say 1e308, and -1 page. A number beyond these limits is nonsense, and counts as if it were absent: it would go
 * into records, sums and budgets.
 */

const MOST_PAGES = 10_000_000
const MOST_CREDITS = 1_000_000_000
const LONGEST_MS = 24 * 3_600_000

export const isPageCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_PAGES

export const isCreditAmount = (value: unknown): value is number => isWithin(value, MOST_CREDITS)

/** Of what happened within one request. */
export const isRequestMs = (value: unknown): value is number => isWithin(value, LONGEST_MS)

const isWithin = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= most

/** Some services write counts as text: `"3"`. */
export const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,12}(?:\.\d+)?$/.test(value) ? Number(value) : value
