import type { Context } from 'hono'
import { type DocumentsParams, documentsParams, PAGE_LINES } from './api-schemas.ts'
import type { DocumentQuery } from './document-index.ts'

export const paramsOf = (c: Context): URLSearchParams => new URL(c.req.url).searchParams

/**
 * Parses the query of an address, or lists its wrong parameters. Empty parameters, which forms send, count as absent.
 */
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

/** Like `parseQuery`, for the page of the list: a wrong parameter does not filter. */
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

/** Builds the same address with other values; drops empty ones. */
export function withParams(params: URLSearchParams, changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return `?${next.toString()}`
}
