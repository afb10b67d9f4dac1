import type { Context } from 'hono'
import { type DocumentsParams, documentsParams, PAGE_LINES } from './api-schemas.ts'
import type { DocumentQuery } from './document-index.ts'

export const paramsOf = (c: Context): URLSearchParams => new URL(c.req.url).searchParams

/** What an address asks for, or which of its parameters are wrong. Empty ones, as forms send them, count as left out. */
export function parseQuery(
  params: URLSearchParams,
):
  | { readonly kind: 'query'; readonly query: DocumentQuery }
  | { readonly kind: 'wrong'; readonly names: readonly string[] } {
  const unknown = [...params.keys()].filter((name) => !(name in documentsParams.shape))
  if (unknown.length > 0) return { kind: 'wrong', names: unknown }
  const given = Object.fromEntries([...params].filter(([, value]) => value !== ''))
  const parsed = documentsParams.safeParse(given)
  if (parsed.success) return { kind: 'query', query: queryOf(parsed.data) }
  return { kind: 'wrong', names: [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))] }
}

/** As `parseQuery`, for the page of the list: what is wrong does not filter. */
export function readQuery(params: URLSearchParams): DocumentQuery {
  const parsed = parseQuery(params)
  if (parsed.kind === 'query') return parsed.query
  return readQuery(new URLSearchParams([...params].filter(([name]) => !parsed.names.includes(name))))
}

function queryOf(given: DocumentsParams): DocumentQuery {
  const { q = '', outcome = '', code = '', format = '', parser = '', from = '', to = '' } = given
  const { grade, credits, sort = 'key', order, page = 1 } = given
  return {
    text: q,
    outcome,
    code,
    format,
    parser,
    gradeBelow: grade === undefined ? null : grade / 100,
    creditsFrom: credits ?? null,
    from,
    to,
    sort,
    descending: order === 'desc',
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
