import type { PageAgreement } from './agreement.ts'

/** Schema version of `audit.json`. */
export const AUDIT_SCHEMA = 1

/** A page of the sample that both tiers answered. */
export interface SampledAnswer {
  readonly key: string
  /** 1-based. */
  readonly pageNumber: number
  /** Grade of the embedded engine; null if it read no page. */
  readonly grade: number | null
  readonly badProbability: number
  readonly expectedQuality: number
  /** Agreement of the two answers. */
  readonly agreement: PageAgreement
  /** Agreement of the service with itself, for a page that was bought twice. */
  readonly selfAgreement: PageAgreement | null
  /** Charge for this page now, with the second purchase; excludes pages that a receipt saved. */
  readonly credits: number
}

/** A sampled page without an answer of one tier. */
export interface UnansweredPage {
  readonly key: string
  readonly pageNumber: number
  readonly tier: 'local' | 'service' | 'source'
  readonly message: string
}

/** Result of an audit in `audit.json`: all of its output derives from this. Holds no document text. */
export interface AuditFile {
  readonly schema: typeof AUDIT_SCHEMA
  readonly source: string
  readonly service: string
  /** Version of the embedded engine. */
  readonly engine: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly seed: number
  /** Number of PDFs with a page count, and their total of pages: the population of the sample. */
  readonly documents: number
  readonly pages: number
  /** Not sampled: documents of other formats, documents that must stay local, and PDFs without a page count. */
  readonly others: number
  readonly staying: number
  readonly uncounted: number
  /** Price of a single page, and of each further page of the same document, by the price model. */
  readonly firstPageCredits: number
  readonly furtherPageCredits: number
  readonly sample: readonly SampledAnswer[]
  readonly unanswered: readonly UnansweredPage[]
}
