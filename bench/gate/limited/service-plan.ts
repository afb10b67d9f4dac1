import type { WindowKind } from '../rate-windows.ts'

/** What the scripted service of bench:gate allows, and what happens to it. Times in milliseconds since `begin`. */
export interface LimitedPlan {
  readonly windowMs: number
  readonly window: WindowKind
  /** Requests a window. */
  readonly rate: number
  /** Requests in work at a time. */
  readonly places: number
  readonly whenFull: 'reject' | 'queue'
  /** `exact`: seconds with decimals, since the windows are shorter than a minute. */
  readonly retryAfter: 'exact' | 'none'
  /** Mean work on a document. */
  readonly serviceMs: number
  /** Documents differ: from `1 - spread` to `1 + spread` times the mean. */
  readonly spread: number
  /** Share of requests that end in a 500. */
  readonly errors: number
  readonly change: { readonly at: number; readonly rate?: number; readonly places?: number } | null
  readonly outage: { readonly from: number; readonly to: number } | null
  /** So many documents are paid for; then 402 until `toppedUpAt`. */
  readonly credits: { readonly documents: number; readonly toppedUpAt: number } | null
}

/** What the service saw. */
export interface LimitedReport {
  /** Every request in the order of its answer. */
  readonly requests: readonly LimitedRequest[]
  /** Requests of a document that came before its Retry-After was over. */
  readonly undercut: number
}

export interface LimitedRequest {
  readonly document: string
  readonly from: number
  readonly to: number
  readonly status: number
}
