/** The same value with the keys of every object in code-unit order; the order of arrays is kept. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([key, field]) => [key, sortKeys(field)]))
}

/** One text for all values that JSON cannot distinguish but by the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value))
}

/** The distinct values, in one order for all orders that they can come in. */
export function asSet<T>(values: readonly T[]): T[] {
  const byText = new Map(values.map((value) => [canonicalJson(value), value]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
