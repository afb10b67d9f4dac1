import type { Extensions } from '#src/contract/extensions.ts'
import type { RecordedGrade } from '#src/document/record.ts'

const MOST_NAMED = 10

/** What of an answer's grades goes into the record; null where there are none. */
export function recordedGrade(extensions: Extensions | null): RecordedGrade | null {
  if (extensions?.grade === undefined || extensions.grade === null) return null
  const known = new Map((extensions.pageGrades ?? []).map((page) => [page.pageNumber, page]))
  const pages = Array.from({ length: Math.max(...known.keys()) }, (_, index) => known.get(index + 1) ?? null)
  return {
    ...extensions.grade,
    pages: pages.map((page) => page?.grade ?? null),
    expected: pages.map((page) => page?.expected ?? null),
  }
}

/** Why a document is only partial by the lowest grade that is asked for, 0 to 1: any of its pages is below. */
export function gradeProblems(grade: RecordedGrade | null, minGrade: number | undefined): string[] {
  if (grade === null || minGrade === undefined) return []
  const below = grade.pages.flatMap((page, index) => (page !== null && page < minGrade ? [index + 1] : []))
  if (below.length === 0) return []
  const named = below.slice(0, MOST_NAMED).join(', ')
  const more = below.length > MOST_NAMED ? ` and ${below.length - MOST_NAMED} more` : ''
  return [`${below.length === 1 ? 'page' : 'pages'} ${named}${more} graded below ${minGrade}`]
}
