import { recipeHash, sourceKey, version } from '#src/document/ids.ts'
import type { DocumentJob } from '#src/ports/queue.ts'

/** A job for the `number`-th document of an archive. */
export function documentJob(number: number, changes: Partial<DocumentJob> = {}): DocumentJob {
  return {
    schema: 1,
    key: sourceKey(`archive/reports/2024/department-${number % 17}/scanned-doc-${String(number).padStart(8, '0')}.pdf`),
    version: version(`81920-1700000000${String(number).padStart(9, '0')}-${9_000_000 + number}`),
    recipeHash: recipeHash('0123456789abcdef'),
    bytes: 81_920,
    queuedAt: 1_700_000_000_000,
    ...changes,
  }
}

export const documentJobs = (count: number): DocumentJob[] =>
  Array.from({ length: count }, (_, index) => documentJob(index))
