/**
 * Whether the contract says that the same request may succeed later. `sometimes` is decided by `classify.ts`;
 * `event_tells` is a trace error, whose event carries its own `retryable`.
 */
export type Retryable = 'no' | 'with_backoff' | 'sometimes' | 'event_tells'

/** A row of one of the contract's error tables (contract, "Errors"; the catalogue says of itself that it is open). */
export interface ErrorRow {
  readonly status: number
  /** Typical texts of `error`. */
  readonly texts: readonly string[]
  /** `code` of the body, where the contract shows one. */
  readonly code?: string
  readonly retryable: Retryable
}

const row = (status: number, retryable: Retryable, ...texts: string[]): ErrorRow => ({ status, texts, retryable })

export const GENERAL_ERRORS: readonly ErrorRow[] = [
  row(400, 'no', 'Bad Request'),
  row(400, 'no', 'Invalid URL'),
  row(401, 'no', 'Unauthorized: Invalid token'),
  row(402, 'no', 'Payment Required: Insufficient credits'),
  row(403, 'no', 'Forbidden'),
  row(403, 'no', 'SCRAPE_PROMPT_INJECTION_DETECTED'),
  row(404, 'no', 'Not Found'),
  row(408, 'with_backoff', 'Request Timeout'),
  row(409, 'no', 'Conflict'),
  row(413, 'no', 'Payload Too Large'),
  row(422, 'sometimes', 'Unprocessable Entity'),
  row(429, 'with_backoff', 'Rate limit exceeded'),
  row(429, 'with_backoff', 'Concurrency limit reached'),
  row(500, 'with_backoff', 'Internal Server Error'),
  row(502, 'with_backoff', 'Bad Gateway'),
  row(503, 'with_backoff', 'Service Unavailable'),
  row(504, 'with_backoff', 'Gateway Timeout'),
]

/** The bodies shown for `POST /v2/parse`; their retryability is that of their status in the general table. */
export const PARSE_ERRORS: readonly ErrorRow[] = [
  { ...row(400, 'no', 'Invalid multipart form-data request.'), code: 'BAD_REQUEST' },
  row(402, 'no', 'Payment required to access this resource.'),
  row(429, 'with_backoff', 'Request rate limit exceeded. Please wait and try again later.'),
  { ...row(500, 'with_backoff', 'An unexpected error occurred on the server.'), code: 'UNKNOWN_ERROR' },
]

export const AGENT_ERRORS: readonly ErrorRow[] = [
  row(400, 'no', 'Invalid job ID format. Job ID must be a valid UUID.'),
  row(400, 'no', 'Invalid snapshot ID'),
  row(400, 'no', 'Trace is only available for <ENGINE_GEN_2> extracts'),
  row(400, 'no', 'Snapshots are only available for <ENGINE_GEN_2> extracts'),
  row(400, 'no', 'Your team has zero data retention enabled. This is not supported on extract.'),
  row(404, 'no', 'Agent job not found'),
  row(404, 'no', 'Snapshot not found'),
  row(409, 'no', 'Agent already finished'),
  row(409, 'no', 'Agent is already cancelled'),
  row(500, 'with_backoff', 'Failed to passthrough agent request.'),
]

/** `error.code` of an agent's trace events (contract, "Trace error `code` values"). */
export const TRACE_ERRORS = {
  cancelled: 'event_tells',
  credit_limit_reached: 'event_tells',
  parent_finished: 'event_tells',
  refused: 'event_tells',
  internal: 'event_tells',
} as const satisfies Record<string, Retryable>

/** Statuses that the reference client tries again (contract, retry rule 2). */
export const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
