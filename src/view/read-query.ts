import { type DocumentQuery, type Sort, SORTS } from './document-index.ts'

/** Lines of a page of the list. */
export const PAGE_LINES = 100

const DATE = /^\d{4}-\d\d-\d\d$/

/** What the address of the list asks for; what it does not say, or says wrong, does not filter. */
export function readQuery(params: URLSearchParams): DocumentQuery {
  const text = (name: string): string => (params.get(name) ?? '').slice(0, 500)
  const number = (name: string, scale = 1): number | null => {
    const value = Number(text(name))
    return text(name) === '' || !Number.isFinite(value) ? null : value / scale
  }
  const date = (name: string): string => (DATE.test(text(name)) ? text(name) : '')
  const page = Math.max(1, Math.min(1_000_000, Math.floor(number('page') ?? 1)))
  return {
    text: text('q'),
    outcome: text('outcome'),
    code: text('code'),
    format: text('format'),
    parser: text('parser'),
    gradeBelow: number('grade', 100),
    creditsFrom: number('credits'),
    from: date('from'),
    to: date('to'),
    sort: SORTS.find((known): known is Sort => known === params.get('sort')) ?? 'key',
    descending: params.get('order') === 'desc',
    offset: (page - 1) * PAGE_LINES,
    limit: PAGE_LINES,
  }
}

/** The same address with other values; an empty one is left out. */
export function withParams(params: URLSearchParams, changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return `?${next.toString()}`
}
