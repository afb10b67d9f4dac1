/** When something is due: every so many milliseconds, or as a cron pattern says. */
export type Timetable = { readonly every: number } | { readonly pattern: string }

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads `30s`, `10m`, `1h`, `2d`; any other text is taken for a cron pattern of five fields, or six with seconds in
 * front, in the time zone of this machine. BullMQ checks the pattern.
 */
export function readTimetable(text: string): Timetable {
  const duration = /^(\d+)\s*([smhd])$/.exec(text.trim())
  const every = Number(duration?.[1] ?? 0) * (UNIT_MS[duration?.[2] ?? ''] ?? 0)
  return every > 0 ? { every } : { pattern: text.trim() }
}
