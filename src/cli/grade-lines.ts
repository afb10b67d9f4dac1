import type { GradeSummary } from '#src/ingest/maintain/summarise-grades.ts'
import { count, plural, printable } from './format.ts'

/** What `status` shows of grades; nothing where no document has one. */
export function gradeLines({ graded, good, doubtful, poor, lowest }: GradeSummary): string[] {
  if (graded === 0) return []
  const share = `${plural(graded, 'graded document')}: ${count(good)} good, ${count(doubtful)} doubtful (a page expected below 0.9), ${count(poor)} poor (below 0.5)`
  return [share, ...lowest.map(({ key, expected }) => `  ${expected.toFixed(2)}  ${printable(key)}`)]
}
