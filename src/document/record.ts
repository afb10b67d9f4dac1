import type { Failure } from './failure.ts'
import type { ClaimNumber } from './claim-lost.ts'
import type { ParserFacts } from './parser.ts'
import type { ParserClass } from './parser-class.ts'
import type { RouteTerms } from './route.ts'
import type { DocumentGrade } from '@sluice/contract'
import type { ContentHash, ReceiptId, RecipeHash, SourceId, SourceKey, Version } from './ids.ts'

/** Schema version of `record.json`. A reader refuses a higher one. */
export const RECORD_SCHEMA = 2

export interface OutputFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** Cost of a document: `reported` by the service, `estimated` by the price model, or `saved` without a request (0). */
export interface Cost {
  readonly credits: number
  readonly basis: 'reported' | 'estimated' | 'saved'
}

/** `null` if the service states no count; only PDF input has pages. */
export interface PageCounts {
  readonly parsed: number | null
  readonly total: number | null
  readonly truncated: boolean
}

/** Unit of `markdownSpan` in a service's answer: the contract names "characters" without a definition. */
export type SpanUnit = 'utf16' | 'code_points' | 'bytes'

/** Statistics of the spans of blocks. `blocks.jsonl` has them in UTF-16 units, for any unit of the service. */
export interface SpanCounts {
  /** Unit of the service; null if no block had a valid span. */
  readonly unit: SpanUnit | null
  /** Number of spans that fit the Markdown in no unit and became null. */
  readonly dropped: number
}

/** A piece of a document over the limit: its pages, counted from 1 in the complete document. */
export interface PieceRecord {
  readonly firstPage: number
  readonly lastPage: number
  /** Null if the answer must not be kept. */
  readonly receipt: ReceiptId | null
  /** All pages of an answer for single pages of a routed document, in the order of the answer. */
  readonly pages?: readonly number[]
  /** From the continuous audit of 0.2.0: the outputs use no page of it. */
  readonly compared?: true
}

/** Parser of a page of a routed document, and the reason (`PAGE_REASONS`). */
export interface RoutedPage {
  /** 1-based. */
  readonly page: number
  readonly parser: ParserClass
  readonly reason: string
  /** Expected quality of the engine's reading, 0 to 1; null without an estimate. */
  readonly grade: number | null
  /** Its share of the cost of its answers; 0 for a kept answer. */
  readonly credits: number
  /** Name of the service in the settings; only for a page that a service parsed. */
  readonly service?: string
}

/** Comparison of the engine's reading of a page, which the outputs use, with that of the service. */
export interface ComparedPage {
  /** 1-based. */
  readonly page: number
  /** Words in common, F1. */
  readonly agreement: number
  /** Predicted probability that the engine read the page badly. */
  readonly risk: number
  /** Its share of the cost of the answer; 0 for a kept answer. */
  readonly credits: number
}

/** Routing of a document (`--route local-first`), and its terms. */
export interface RouteRecord extends RouteTerms {
  /** Reason why one parser parsed the complete document; null if each page was routed separately. */
  readonly whole: 'good' | 'below-floor' | 'local-failed' | 'service-failed' | null
  readonly pages: readonly RoutedPage[]
  /** Names of an order of services of 0.2.0. */
  readonly services?: readonly string[]
  /** From the continuous audit of 0.2.0. */
  readonly compared?: readonly ComparedPage[]
}

/** Grade of a document, and of each page in page order; null for a page that the service parsed. */
export interface RecordedGrade extends DocumentGrade {
  readonly pages: readonly (number | null)[]
  /** Expected F1 of each page's words, as estimated by the engine; absent in records of older releases. */
  readonly expected?: readonly (number | null)[]
}

/** Properties of a document itself: its page or file names them. Each is absent where unknown. */
export interface DocumentMetadata {
  /** Address of a page on the web, without a login and without secret parts. */
  readonly address?: string
  readonly title?: string
  readonly description?: string
  /** As the document names it, usually a BCP 47 tag. */
  readonly language?: string
  /** ISO 8601, UTC. */
  readonly modified?: string
}

/** Record of one version of a document: its outputs and their cost. The commit marker, written last. */
export interface DocumentRecord {
  readonly schema: 1 | typeof RECORD_SCHEMA
  /** Address of the source. */
  readonly source: string
  /** Absent in schema 1. */
  readonly sourceId?: SourceId
  readonly key: SourceKey
  readonly version: Version
  readonly contentHash: ContentHash
  readonly bytes: number
  /** Absent in records of releases up to 0.2.0, and for a document without any. */
  readonly metadata?: DocumentMetadata
  /** Canonical parse options, in the form of `client/recipe.ts`. */
  readonly recipe: Readonly<Record<string, unknown>>
  readonly recipeHash: RecipeHash
  /** Null if the answer must not be kept (zero data retention), or if each of the `pieces` has its own. */
  readonly receipt: ReceiptId | null
  /**
   * In page order; only for a document that was parsed in pieces. Pieces of the complete document come first, then
   * single pages.
   */
  readonly pieces?: readonly PieceRecord[]
  /** Only for a routed document. */
  readonly route?: RouteRecord
  readonly outcome: 'done' | 'partial'
  /** Reasons why it is only partial, one sentence each; empty when done. */
  readonly problems: readonly string[]
  readonly pages: PageCounts
  readonly spans: SpanCounts
  /** Reading quality; only for a PDF that the embedded engine read. */
  readonly grade?: RecordedGrade
  readonly cost: Cost
  readonly requestId: string | null
  /** Same as `parser.origin`. */
  readonly service: string
  /** Parser of the answer, from its receipt; the least trusted parser of several pieces. Absent in schema 1. */
  readonly parser?: ParserFacts
  readonly attempts: number
  /** Claim of the commit; absent in records of releases up to 0.2. */
  readonly claim?: ClaimNumber
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly finishedAt: string
  readonly files: readonly OutputFile[]
  /** Links in the answer that expire, with the time (contract: 1 h and 24 h). */
  readonly expiring: readonly { readonly field: string; readonly at: string }[]
  /** Time at which a scan found the document gone; these are the outputs of its last version. */
  readonly goneAt?: string
}

/** A dead letter: a failed document with its reason. The store keeps it until the document succeeds or is gone. */
export interface DeadLetter {
  readonly schema: 1 | typeof RECORD_SCHEMA
  /** Address of the source. */
  readonly source: string
  /** Absent in schema 1. */
  readonly sourceId?: SourceId
  readonly key: SourceKey
  readonly version: Version
  readonly contentHash: ContentHash | null
  readonly recipeHash: RecipeHash | null
  /** Pieces that were parsed before the failure. A retry does not buy them again. */
  readonly pieces?: readonly PieceRecord[]
  /** Version 0.2.0 wrote it: the embedded engine refused the document permanently. */
  readonly engineRefused?: true
  readonly failure: Failure
  readonly attempts: number
  readonly firstAt: string
  readonly lastAt: string
}

/** A kept answer. */
export interface Receipt {
  /** Byte for byte. */
  readonly body: Buffer
  /** Null in a receipt of format 1. */
  readonly parser: ParserFacts | null
}

export interface KeptReceipt {
  readonly id: ReceiptId
  /** Time of the last `Receipts.save`, epoch milliseconds by the clock of the store. */
  readonly savedAt: number
}

/** Receipts of a document's outputs, in page order; null for an answer that must not be kept. */
export function receiptsOf({ receipt, pieces }: DocumentRecord): readonly (ReceiptId | null)[] {
  return pieces?.map((piece) => piece.receipt) ?? [receipt]
}
