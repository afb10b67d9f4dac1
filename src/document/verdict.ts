import type { Failure, FailureCode } from './failure.ts'

/** The service's answer from the wire, which becomes the receipt, byte for byte. */
export interface Answer {
  readonly body: Buffer
  /** The same, parsed once for all later steps. */
  readonly json: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  /** Milliseconds from the first byte sent to the last byte received. */
  readonly durationMs: number
  readonly usage: Usage
}

/** Concurrency queue and credits from the answer's metadata; the gate learns from them. */
export interface Usage {
  /**
   * `concurrencyQueueDurationMs`: time in the service's queue for its concurrency limit. 0 unless `concurrencyLimited`
   * is true.
   */
  readonly queuedMs: number
  /** `creditsUsed`; null if the service does not report it. */
  readonly credits: number | null
  /** `numPages`; null for a document without pages. */
  readonly pages: number | null
}

/** Limit of the plan that a refusal names; `unknown` if its text names neither. */
export type Limit = 'rate' | 'concurrency' | 'unknown'

/**
 * Reason why the complete batch must stop: every further document would fail, or be charged, alike. `address`: the
 * server does not know `/v2/parse`. `proxy`: a proxy or the login page of a network answers. `engine`: the embedded
 * engine cannot stay up. `installation`: it cannot start with this installation. `service`: it never gave an answer.
 * `source`: the mounted source is not that of the queue.
 */
export type HaltCause =
  | 'credits'
  | 'key'
  | 'permission'
  | 'options'
  | 'address'
  | 'proxy'
  | 'budget'
  | 'store'
  | 'engine'
  | 'installation'
  | 'service'
  | 'source'

/** Subject of a refusal that may concern one document. */
export type RefusalCause = Extract<HaltCause, 'permission' | 'address' | 'proxy' | 'options'>

/** Change that may help a retry: the same request again, or one with the named change. */
export type Remedy =
  | { readonly kind: 'none' }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'mode'; readonly mode: 'auto' | 'ocr' }

/** A rate limit that the service states: a number of requests per window. */
export interface StatedRate {
  readonly requests: number
  readonly windowMs: number
  /** False if the window is a guess. */
  readonly exact: boolean
  /** The service reports that the limit is reached. */
  readonly reached: boolean
}

/**
 * Meaning of an answer, decided once from its `code` and status by `client/classify.ts`; no later step reads a status
 * again.
 *
 * - `parsed`: a 200 with a document in it. Becomes a receipt.
 * - `rejected`: this document fails in every request. Ends failed at once.
 * - `refused`: a refusal without a code of the document's own (a permission, an address, options), or an unusable
 *   success. It may concern this document or all documents; other documents show which (`ingest/document/refusals.ts`).
 * - `throttled`: a limit of the plan. Never the document's fault: it uses no attempt (Law 5).
 * - `unavailable`: the service failed. Retried with backoff, at most five counted attempts.
 * - `halted`: credits or key, or a refusal that concerns all documents. The batch stops and keeps every job.
 */
export type Verdict = Meaning & {
  /** Id of the request in `x-request-id`; for a parsed document it is in `answer`. */
  readonly requestId?: string
}

type Meaning =
  | { readonly kind: 'parsed'; readonly answer: Answer; readonly stated?: StatedRate }
  | {
      readonly kind: 'rejected'
      readonly failure: Failure
      readonly remedy: Remedy
      /** Usage of a purchase in which the service fetched the site's error page. */
      readonly errorPage?: Usage
    }
  | {
      readonly kind: 'throttled'
      readonly limit: Limit
      /** Wait that the service asked for; null without one. */
      readonly retryAfterMs: number | null
      readonly stated?: StatedRate
      readonly message: string
    }
  | {
      readonly kind: 'unavailable'
      readonly code: FailureCode
      readonly message: string
      readonly serviceCode: string | null
      readonly httpStatus: number | null
      readonly retryAfterMs: number | null
      readonly remedy: Remedy
      /** True if the complete request was sent and no usable answer arrived: the service may have charged for it. */
      readonly inDoubt?: boolean
      /** False for a failure that is not evidence about the service's health (a 408 of this one document). */
      readonly countsAgainstService: boolean
      /** Same as in `rejected`. */
      readonly errorPage?: Usage
    }
  | {
      readonly kind: 'refused'
      readonly cause: RefusalCause
      readonly failure: Failure
      /** Identifies the body of an unusable success. The service may have charged for it. */
      readonly unusable?: string
    }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }

export type VerdictKind = Verdict['kind']
