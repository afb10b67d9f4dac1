import type { SourceKey } from '#src/document/ids.ts'
import type { RecordedGrade } from '#src/document/record.ts'
import { belongsTo, type SourceOwner } from '#src/document/store-manifest.ts'
import { predictPage } from '#src/route/predict-page.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

/** Quality of a source's documents, by their grades. */
export interface GradeSummary {
  /** Number of documents with a grade: PDFs that the embedded engine read. */
  readonly graded: number
  /** Number of documents by the expected F1 of their worst page: `good` from 0.9, `doubtful` from 0.5, `poor` below. */
  readonly good: number
  readonly doubtful: number
  readonly poor: number
  /** The documents with the worst pages, worst first. */
  readonly lowest: readonly LowDocument[]
}

interface LowDocument {
  readonly key: SourceKey
  /** Lowest grade of a page. */
  readonly grade: number
  /** Lowest expected quality of a page, which decides the purchase of pages. */
  readonly expected: number
}

const GOOD = 0.9
const DOUBTFUL = 0.5
const MAX_NAMED = 10

/** Counts the grades in the records of a source. Reads every record of the store once. */
export async function summariseGrades(
  { store, owner }: { readonly store: Pick<OutputStore, 'documents'>; readonly owner: SourceOwner },
  signal: AbortSignal,
): Promise<GradeSummary> {
  let [graded, good, doubtful] = [0, 0, 0]
  let lowest: GradeSummary['lowest'] = []
  for await (const record of store.documents.list(signal)) {
    if (record.grade === undefined || !belongsTo(record, owner)) continue
    const expected = lowestExpected(record.grade)
    graded += 1
    good += expected >= GOOD ? 1 : 0
    doubtful += expected < GOOD && expected >= DOUBTFUL ? 1 : 0
    if (expected < GOOD) {
      const all = [...lowest, { key: record.key, grade: record.grade.lowest, expected }]
      lowest = all.sort((a, b) => a.expected - b.expected).slice(0, MAX_NAMED)
    }
  }
  return { graded, good, doubtful, poor: graded - good - doubtful, lowest }
}

/** Same rule as for the purchase of pages: a page that stays permanently is not reported as doubtful here. */
function lowestExpected({ pages, expected, engine, lowest }: RecordedGrade): number {
  const known = pages.flatMap((grade, at) =>
    grade === null ? [] : [predictPage({ grade, expected: expected?.[at] ?? null }, engine).expectedQuality],
  )
  return known.length === 0 ? lowest : known.reduce((a, b) => Math.min(a, b))
}
