/** The value that this share of all is below or at. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Four decimals, as reports print them. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
