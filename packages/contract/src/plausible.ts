/*
 * Upper bounds of plausible numbers. JSON can carry 1e308 pages or -1 page. A number out of bounds counts as absent,
 * because records, sums and budgets would absorb it.
 */

const MAX_PAGES = 10_000_000
const MAX_CREDITS = 1_000_000_000
const MAX_MS = 24 * 3_600_000

export const isPageCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_PAGES

export const isCreditAmount = (value: unknown): value is number => isWithin(value, MAX_CREDITS)

/** Milliseconds within one request. */
export const isRequestMs = (value: unknown): value is number => isWithin(value, MAX_MS)

const isWithin = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= most

/** Converts a count in text (`"3"`), the encoding of some services. */
export const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,12}(?:\.\d+)?$/.test(value) ? Number(value) : value
