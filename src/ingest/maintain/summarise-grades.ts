import type { SourceKey } from '#src/document/ids.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { type KeptComparison, NO_COMPARISON, withPage } from '#src/route/audit/kept-pages.ts'
import type { OwnedStore } from '../deps.ts'

/** How the documents of a source were read. */
export interface GradeSummary {
  /** Documents with a grade: PDFs that the embedded engine read. */
  readonly graded: number
  /** Documents whose lowest page is at least 0.9; from 0.5; below that. */
  readonly good: number
  readonly doubtful: number
  readonly poor: number
  /** The documents with the lowest pages, the lowest first, and that grade. */
  /** Of the continuous audit. */
  readonly compared: KeptComparison
  readonly lowest: readonly { readonly key: SourceKey; readonly grade: number }[]
}

const GOOD = 0.9
const DOUBTFUL = 0.5
const MOST_NAMED = 10

/** Counts the grades in the records of a source. Reads every record of the store once. */
export async function summariseGrades({ store, owner }: OwnedStore, signal: AbortSignal): Promise<GradeSummary> {
  let [graded, good, doubtful] = [0, 0, 0]
  let lowest: GradeSummary['lowest'] = []
  let compared = NO_COMPARISON
  for await (const record of store.listRecords(signal)) {
    if (record.grade === undefined || !belongsTo(record, owner)) continue
    for (const page of record.route?.compared ?? []) compared = withPage(compared, page)
    const grade = record.grade.lowest
    graded += 1
    good += grade >= GOOD ? 1 : 0
    doubtful += grade < GOOD && grade >= DOUBTFUL ? 1 : 0
    if (grade < GOOD)
      lowest = [...lowest, { key: record.key, grade }].sort((a, b) => a.grade - b.grade).slice(0, MOST_NAMED)
  }
  return { graded, good, doubtful, poor: graded - good - doubtful, compared, lowest }
}
