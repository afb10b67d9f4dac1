import type { ParseOptions, ParsedData } from '@sluice/contract'
import { hasOutput } from './read-answer.ts'

/** Outputs that the request asked for. */
export interface Wanted {
  readonly options: Pick<ParseOptions, 'formats' | 'parsers'>
  /** Only PDFs have pages and blocks. */
  readonly isPdf: boolean
  /** Charge reported by the service; 0 for a free one. */
  readonly credits: number
}

/**
 * Lists requested outputs that the answer lacks, one sentence each. An answer with a warning already reports a gap
 * (contract: `json` is null with a warning). `readAnswer` reports an answer without any output.
 */
export function missingOutputs(data: ParsedData, { options, isPdf, credits }: Wanted): string[] {
  if (data.warning !== undefined && data.warning !== null && data.warning.trim() !== '') return []
  if (!hasOutput(data)) return []
  const [pdf] = options.parsers
  const absent = options.formats.map(({ type }) => type).filter((type) => (data[type] ?? null) === null)
  const numPages = data.metadata?.numPages ?? null
  return [
    ...absent.map((type) => `the answer lacks the requested ${type}`),
    ...(isPdf && pdf?.pages === true ? [missingPages(data.pages, numPages)] : []),
    isPdf && pdf?.blocks === true && (data.blocks ?? null) === null && !isEmpty(numPages)
      ? 'the answer lacks the requested blocks'
      : null,
    isPdf && credits > 0 && !isEmpty(numPages) && data.markdown?.trim() === ''
      ? `${numPages === 1 ? 'the page has' : `${numPages ?? 'all'} pages have`} no text, and cost credits`
      : null,
  ].filter((problem) => problem !== null)
}

const isEmpty = (numPages: number | null): boolean => numPages === 0

function missingPages(pages: ParsedData['pages'], numPages: number | null): string | null {
  if ((pages ?? null) === null) return isEmpty(numPages) ? null : 'the answer lacks the requested pages'
  const there = new Set(pages?.map(({ pageNumber }) => pageNumber))
  const count = (numPages ?? 0) - there.size
  if (numPages === null || count <= 0) return null
  const missing: number[] = []
  for (let page = 1; page <= numPages && missing.length < 10; page++) if (!there.has(page)) missing.push(page)
  const more = count > missing.length ? ` and ${count - missing.length} more` : ''
  return `${missing.length === 1 ? 'page' : 'pages'} ${missing.join(', ')}${more} of ${numPages} ${count === 1 ? 'is' : 'are'} missing in the answer`
}
