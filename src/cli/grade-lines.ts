import type { GradeSummary } from '#src/ingest/maintain/summarise-grades.ts'
import { isDrift, type KeptComparison } from '#src/route/audit/kept-pages.ts'
import { count, plural, printable } from './format.ts'

/** What `status` shows of grades; nothing where no document has one. */
export function gradeLines({ graded, good, doubtful, poor, compared, lowest }: GradeSummary): string[] {
  if (graded === 0) return []
  const share = `${plural(graded, 'graded document')}: ${count(good)} good, ${count(doubtful)} doubtful (a page expected below 0.9), ${count(poor)} poor (below 0.5)`
  return [
    share,
    ...comparedLines(compared),
    ...lowest.map(({ key, expected }) => `  ${expected.toFixed(2)}  ${printable(key)}`),
  ]
}

function comparedLines(compared: KeptComparison): string[] {
  const { pages, different, expected } = compared
  if (pages === 0) return []
  const line = `${plural(pages, 'kept page')} compared with the service: ${count(different)} different, ${expected.toFixed(1)} expected`
  return [isDrift(compared) ? `${line}. More than the predictor explains: measure again with sluice audit` : line]
}
