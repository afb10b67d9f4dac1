const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Pattern in the JSON Schema of the settings file. */
export const DURATION = /^\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)?$/

/**
 * Parses `250ms`, `90s`, `10m`, `12h`, `7d` into milliseconds; a bare number is milliseconds. Returns null for any
 * other text.
 */
export function millisecondsOf(text: string): number | null {
  const match = DURATION.exec(text.trim())
  if (match === null) return null
  const [, amount = '', unit = 'ms'] = /^([\d.]+)\s*([a-z]*)$/.exec(text.trim()) ?? []
  return Math.round(Number(amount) * (UNIT_MS[unit === '' ? 'ms' : unit] ?? 1))
}

/** Formats `604800000` as `7d`: in the largest unit that divides it. */
export function durationText(milliseconds: number): string {
  const units = Object.entries(UNIT_MS).toReversed()
  const [name, ms] = units.find(([, unitMs]) => milliseconds >= unitMs && milliseconds % unitMs === 0) ?? ['ms', 1]
  return `${milliseconds / ms}${name}`
}
