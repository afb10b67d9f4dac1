/** Sorts the keys of every object in code-unit order; keeps the order of arrays. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([key, field]) => [key, sortKeys(field)]))
}

/** Serializes values to one text if JSON distinguishes them by the order of keys only. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value))
}

/** Deduplicates values and sorts them into one canonical order. */
export function asSet<T>(values: readonly T[]): T[] {
  const byText = new Map(values.map((value) => [canonicalJson(value), value]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
