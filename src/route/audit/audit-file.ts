import type { PageAgreement } from './agreement.ts'

/** Version of the shape of `audit.json`. */
export const AUDIT_SCHEMA = 1

/** A page of the sample that both tiers answered. */
export interface SampledAnswer {
  readonly key: string
  /** 1-based. */
  readonly pageNumber: number
  /** Of the embedded engine; null where it read no page. */
  readonly grade: number | null
  readonly badProbability: number
  readonly expectedQuality: number
  /** Of the two answers. */
  readonly agreement: PageAgreement
  /** Agreement of the service with itself, of a page that was bought twice. */
  readonly selfAgreement: PageAgreement | null
  /** Charged for this page now, the second purchase with it; what a receipt saved is not in it. */
  readonly credits: number
}

/** A sampled page that one of the tiers did not answer. */
export interface UnansweredPage {
  readonly key: string
  readonly pageNumber: number
  readonly tier: 'local' | 'service' | 'source'
  readonly message: string
}

/** What an audit found out, as `audit.json` keeps it: everything that it prints follows from this. Holds no document text. */
export interface AuditFile {
  readonly schema: typeof AUDIT_SCHEMA
  readonly source: string
  readonly service: string
  /** Version of the embedded engine. */
  readonly engine: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly seed: number
  /** PDFs whose pages could be counted, and their pages together: what the sample stands for. */
  readonly documents: number
  readonly pages: number
  /** Not sampled: documents of other formats, such as must not leave the machine, and PDFs that nothing could count. */
  readonly others: number
  readonly staying: number
  readonly uncounted: number
  /** What one page costs alone, and each further page of the same document, by the price model. */
  readonly firstPageCredits: number
  readonly furtherPageCredits: number
  readonly sample: readonly SampledAnswer[]
  readonly unanswered: readonly UnansweredPage[]
}
