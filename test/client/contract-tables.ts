import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The contract, where a checkout has it beside itself; null elsewhere. */
export function readContract(): string | null {
  const path = resolve(import.meta.dirname, '../../../shared/spec/parse-api.md')
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/** The rows below a heading of the contract, cell by cell, without the head of the table. */
function tableBelow(contract: string, heading: string): readonly (readonly string[])[] {
  const start = contract.indexOf(heading)
  if (start < 0) throw new Error(`the contract has no "${heading}"`)
  const lines = contract.slice(start).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'))
  const rows = lines.slice(first, length < 0 ? undefined : first + length)
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** The text between the first backquotes of a cell. */
function quoted(cell: string): string {
  return /`([^`]+)`/.exec(cell)?.[1] ?? ''
}

/** A row of an error table: status, first typical text, what the column "Retryable" says (null where there is none). */
export type ErrorFact = readonly [status: number, text: string, retryable: string | null]

/** The facts of the contract's error tables, as of the version that this release was written against. */
export const ERROR_FACTS: Readonly<Record<string, readonly ErrorFact[]>> = {
  '### General errors': [
    [400, 'Bad Request', 'No'],
    [400, 'Invalid URL', 'No'],
    [401, 'Unauthorized: Invalid token', 'No'],
    [402, 'Payment Required: Insufficient credits', 'No'],
    [403, 'Forbidden', 'No'],
    [403, 'SCRAPE_PROMPT_INJECTION_DETECTED', 'No'],
    [404, 'Not Found', 'No'],
    [408, 'Request Timeout', 'Yes, with backoff'],
    [409, 'Conflict', 'No'],
    [413, 'Payload Too Large', 'No'],
    [422, 'Unprocessable Entity', 'Sometimes'],
    [429, 'Rate limit exceeded', 'Yes, with backoff'],
    [429, 'Concurrency limit reached', 'Yes, with backoff'],
    [500, 'Internal Server Error', 'Yes, with backoff'],
    [502, 'Bad Gateway', 'Yes, with backoff'],
    [503, 'Service Unavailable', 'Yes, with backoff'],
    [504, 'Gateway Timeout', 'Yes, with backoff'],
  ],
  '### Parse-specific response bodies': [
    [400, 'Invalid multipart form-data request.', null],
    [402, 'Payment required to access this resource.', null],
    [429, 'Request rate limit exceeded. Please wait and try again later.', null],
    [500, 'An unexpected error occurred on the server.', null],
  ],
  '### Agent errors': [
    [400, 'Invalid job ID format. Job ID must be a valid UUID.', 'No'],
    [400, 'Invalid snapshot ID', 'No'],
    [400, 'Trace is only available for <ENGINE_GEN_2> extracts', 'No'],
    [400, 'Snapshots are only available for <ENGINE_GEN_2> extracts', 'No'],
    [400, 'Your team has zero data retention enabled. This is not supported on extract.', 'No'],
    [404, 'Agent job not found', 'No'],
    [404, 'Snapshot not found', 'No'],
    [409, 'Agent already finished', 'No'],
    [409, 'Agent is already cancelled', 'No'],
    [500, 'Failed to passthrough agent request.', 'Yes, with backoff'],
  ],
}

/** What the worker is tried against: each row with the `code` that the contract shows for it, its retryability filled in. */
export interface ErrorRow {
  readonly status: number
  readonly text: string
  readonly retryable: string
  readonly code?: string
}

const PARSE_CODES: Readonly<Record<number, string>> = { 400: 'BAD_REQUEST', 500: 'UNKNOWN_ERROR' }

const general = (status: number): string =>
  ERROR_FACTS['### General errors']?.find(([known]) => known === status)?.[2] ?? 'No'

export const ERROR_ROWS: readonly ErrorRow[] = Object.entries(ERROR_FACTS).flatMap(([heading, facts]) =>
  facts.map(([status, text, retryable]) => {
    const code = heading.includes('Parse-specific') ? PARSE_CODES[status] : undefined
    return { status, text, retryable: retryable ?? general(status), ...(code === undefined ? {} : { code }) }
  }),
)

/** Names of the fields in the tables of the answer, as of the same version. */
export const FIELD_FACTS: Readonly<Record<string, readonly string[]>> = {
  '### Parse response': ['markdown', 'pages', 'blocks', 'summary', 'html', 'rawHtml', 'links', 'warning', 'metadata'],
  '`data.blocks[]` element': [
    'pageNumber',
    'width',
    'height',
    'status',
    'items',
    'items[].id',
    'items[].type',
    'items[].label',
    'items[].bbox',
    'items[].content',
    'items[].markdownSpan',
    'items[].readingOrder',
    'items[].source',
    'items[].confidence',
  ],
  '`data.metadata` fields': [
    'title',
    'description',
    'keywords',
    'language',
    'sourceURL',
    'url',
    'ogLocaleAlternate',
    'statusCode',
    'numPages',
    'totalPages',
    'contentType',
    'error',
    'concurrencyLimited',
    'concurrencyQueueDurationMs',
  ],
}

/** The names in the first column of a table of the contract. */
export function fieldsBelow(contract: string, heading: string): readonly string[] {
  return tableBelow(contract, heading).flatMap(([cell = '']) => (cell.match(/`[^`]+`/g) ?? []).map(quoted))
}

/** The same facts read out of the contract itself. */
export function factsIn(contract: string, heading: string): readonly ErrorFact[] {
  return tableBelow(contract, heading).map((cells) => {
    const status = Number(cells[0])
    if (cells.length === 4) return [status, quoted(cells[1] ?? ''), cells[3] ?? null]
    return [status, quoted(/`error` = .*/.exec(cells[1] ?? '')?.[0].slice(8) ?? ''), null]
  })
}
