import type { ParseOptions } from '#src/contract/options.ts'
import type { AnswerReading } from '#src/contract/read-answer.ts'
import { predictPage } from '#src/route/predict-page.ts'
import type { PageOutlook } from '#src/route/choose-pages.ts'
import type { Work } from '../process/work.ts'

/** What is expected of each page as the engine read it; null for a document without graded pages. */
export function outlookOf({ data, extensions }: AnswerReading): readonly PageOutlook[] | null {
  const grades = extensions?.pageGrades ?? null
  if (grades === null || data.pages === undefined || data.pages === null) return null
  const engine = extensions?.engine ?? 'unknown'
  const known = new Map(grades.map((page) => [page.pageNumber, predictPage(page, engine).expectedQuality]))
  return data.pages.map(({ pageNumber }) => ({ pageNumber, quality: known.get(pageNumber) ?? null }))
}

/** What an answer holds of each page by itself. A summary, say, is of the whole document. */
const BY_PAGE: ReadonlySet<string> = new Set(['markdown', 'links', 'images'])

/** Whether the answer that is asked for is made of its pages alone. */
const isMadeOfPages = ({ parsers, formats }: ParseOptions): boolean =>
  parsers.length > 0 && formats.every(({ type }) => BY_PAGE.has(type))

/** Whether single pages of a document can be bought and put back. */
export function isPageable({ extension, address, recipe: { options } }: Work, { data }: AnswerReading): boolean {
  return extension === 'pdf' && address === null && isMadeOfPages(options) && Array.isArray(data.blocks)
}
