import type { Context } from 'hono'
import type { z } from 'zod'
import { type DocumentsParams, PAGE_LINES } from './api-schemas.ts'
import type { DocumentQuery } from './document-index.ts'

export const paramsOf = (c: Context): URLSearchParams => new URL(c.req.url).searchParams

/** Values of an address, or the sentence that refuses it. */
export type Parsed<Values> =
  | { readonly kind: 'values'; readonly values: Values }
  | { readonly kind: 'wrong'; readonly error: string }

/** Parses the parameters of an address. Empty parameters, which forms send, count as absent. */
export function readParams<Schema extends z.ZodObject>(
  schema: Schema,
  params: URLSearchParams,
): Parsed<z.output<Schema>> {
  const taken = Object.keys(schema.shape)
  const unknown = [...new Set(params.keys())].filter((name) => !taken.includes(name))
  if (unknown.length > 0) {
    const noun = unknown.length === 1 ? 'parameter' : 'parameters'
    const known = taken.length === 0 ? 'none' : taken.join(', ')
    return { kind: 'wrong', error: `unknown ${noun}: ${unknown.join(', ')}; this address takes ${known}` }
  }
  const repeated = taken.filter((name) => params.getAll(name).length > 1)
  if (repeated.length > 0) return { kind: 'wrong', error: `${repeated.join(', ')} is given more than once` }
  const given = Object.fromEntries([...params].filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return { kind: 'values', values: parsed.data }
  const names = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))]
  const missing = names.filter((name) => !(name in given))
  if (missing.length > 0) return { kind: 'wrong', error: `${missing.join(', ')} is missing` }
  const rules = names.map((name) => `${name} (${schema.shape[name]?.description ?? ''})`)
  return { kind: 'wrong', error: `wrong value of ${rules.join(', ')}` }
}

export function queryOf(given: DocumentsParams): DocumentQuery {
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
