import type { Failure, FailureCode } from './failure.ts'

/** The service's answer as it came over the wire: what becomes the receipt, byte for byte. */
export interface Answer {
  readonly body: Buffer
  /** The same, decoded once for all later steps. */
  readonly json: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  /** Milliseconds from the first byte sent to the last byte received. */
  readonly durationMs: number
  readonly usage: Usage
}

/** What the answer's metadata says of the concurrency queue and the credits that the request took; the gate learns from it. */
export interface Usage {
  /** `concurrencyQueueDurationMs`: waited in the service for its concurrency limit. 0 when `concurrencyLimited` is not true. */
  readonly queuedMs: number
  /** `creditsUsed`; null when the service does not report it. */
  readonly credits: number | null
  /** `numPages`; null for a document without pages. */
  readonly pages: number | null
}

/** Which of the plan's two limits a refusal names; `unknown` where its text names neither. */
export type Limit = 'rate' | 'concurrency' | 'unknown'

/**
 * Why the whole batch must stop: going on would fail, or charge, every document in the same way. `address`: what answers
 * there does not know `/v2/parse`. `proxy`: a proxy or the login page of a network answers. `engine`: the embedded engine cannot stay up. `installation`: it cannot start as it is
 * installed. `service`: it never gave an answer. `source`: what is mounted here is not what the queue is about.
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

/** What a refusal that may be one document's own is about. */
export type RefusalCause = Extract<HaltCause, 'permission' | 'address' | 'proxy' | 'options'>

/** What may help a second try: the same request again, or one changed in the way named. */
export type Remedy =
  | { readonly kind: 'none' }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'mode'; readonly mode: 'auto' | 'ocr' }

/** A rate limit that the service states: so many requests in so long. */
export interface StatedRate {
  readonly requests: number
  readonly windowMs: number
  /** False where the window is a guess. */
  readonly exact: boolean
  /** The service says that the limit is reached. */
  readonly reached: boolean
}

/**
 * What an answer means, decided once from its `code` and status by `contract/classify.ts`; no later step reads a
 * status again.
 *
 * - `parsed`: a 200 with a document in it. Becomes a receipt.
 * - `rejected`: this document will not pass, however often it is sent. Ends failed at once.
 * - `refused`: what the service refuses without a code of the document's own (a permission, an address, options), and a
 *   success that cannot be used, may be this document's own, or every document's. Other documents show which
 *   (`ingest/process/refusals.ts`).
 * - `throttled`: a limit of the plan. Never the document's fault: no attempt is used (Law 5).
 * - `unavailable`: the service failed. Tried again with backoff, at most five counted attempts.
 * - `halted`: credits or key; and a refusal that was ruled to be every document's. The batch stops and keeps every job.
 */
export type Verdict = Meaning & {
  /** As the service names the request in `x-request-id`; of a document that came out it is in `answer`. */
  readonly requestId?: string
}

type Meaning =
  | { readonly kind: 'parsed'; readonly answer: Answer; readonly stated?: StatedRate }
  | {
      readonly kind: 'rejected'
      readonly failure: Failure
      readonly remedy: Remedy
      /** What was paid for where the service fetched the site's error page. */
      readonly errorPage?: Usage
    }
  | {
      readonly kind: 'throttled'
      readonly limit: Limit
      /** What the service asked for; null when it named no time. */
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
      /** True when the whole request went out and no usable answer came back: the service may have charged for it. */
      readonly inDoubt?: boolean
      /** False for a failure that says nothing of the service's health (a 408 of this one document). */
      readonly countsAgainstService: boolean
      /** As of `rejected`. */
      readonly errorPage?: Usage
    }
  | {
      readonly kind: 'refused'
      readonly cause: RefusalCause
      readonly failure: Failure
      /** Of a success that cannot be used: what identifies its body. The service may have charged for it. */
      readonly unusable?: string
    }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }

export type VerdictKind = Verdict['kind']
