import type { Failure } from './failure.ts'
import type { ClaimNumber } from './claim-lost.ts'
import type { ParserFacts } from './parser.ts'
import type { ParserClass } from './parser-class.ts'
import type { RouteTerms } from './route.ts'
import type { DocumentGrade } from '@sluice/contract'
import type { ContentHash, ReceiptId, RecipeHash, SourceId, SourceKey, Version } from './ids.ts'

/** Version of `record.json`'s shape. A reader refuses a higher one. */
export const RECORD_SCHEMA = 2

export interface OutputFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** What a document cost. `reported` by the service, `estimated` by the price model, or `saved`: no request was needed (0). */
export interface Cost {
  readonly credits: number
  readonly basis: 'reported' | 'estimated' | 'saved'
}

/** `null` where the service did not say; only PDF input has pages. */
export interface PageCounts {
  readonly parsed: number | null
  readonly total: number | null
  readonly truncated: boolean
}

/** What a service counts `markdownSpan` in: the contract says "characters" and leaves it open. */
export type SpanUnit = 'utf16' | 'code_points' | 'bytes'

/** What became of the spans of blocks. In `blocks.jsonl` they are in UTF-16 units, whatever the service counted in. */
export interface SpanCounts {
  /** The service's own unit; null when no block had a span that fits. */
  readonly unit: SpanUnit | null
  /** Spans that fitted the Markdown in no unit, and became null. */
  readonly dropped: number
}

/** One of the pieces that a document over the limit was parsed in: its pages, counted from 1 in the whole document. */
export interface PieceRecord {
  readonly firstPage: number
  readonly lastPage: number
  /** Null when the answer may not be kept. */
  readonly receipt: ReceiptId | null
  /** Of an answer for single pages of a routed document: all of them, in the order of the answer. */
  readonly pages?: readonly number[]
  /** Of the continuous audit of 0.2.0: no page of the outputs comes from it. */
  readonly compared?: true
}

/** Who parsed a page of a routed document, and why (`PAGE_REASONS`). */
export interface RoutedPage {
  /** 1-based. */
  readonly page: number
  readonly parser: ParserClass
  readonly reason: string
  /** Expected quality of the engine's reading, 0 to 1; null where it says nothing. */
  readonly grade: number | null
  /** Its share of what its answers cost; 0 for one that was there. */
  readonly credits: number
  /** The service whose answer it is, by its name in the settings; only of a page that a service parsed. */
  readonly service?: string
}

/** A page that keeps the engine's reading, beside what the service says of it. */
export interface ComparedPage {
  /** 1-based. */
  readonly page: number
  /** Words in common, F1. */
  readonly agreement: number
  /** Probability that it is bad, as it was predicted before. */
  readonly risk: number
  /** Its share of what the answer cost; 0 for one that was there. */
  readonly credits: number
}

/** How a document was routed (`--route local-first`), and by which terms. */
export interface RouteRecord extends RouteTerms {
  /** Why it was parsed as a whole by one parser; null where it was decided page by page. */
  readonly whole: 'good' | 'below-floor' | 'local-failed' | 'service-failed' | null
  readonly pages: readonly RoutedPage[]
  /** Of an order of services of 0.2.0: their names. */
  readonly services?: readonly string[]
  /** Of the continuous audit of 0.2.0. */
  readonly compared?: readonly ComparedPage[]
}

/** A document's grade, and that of each page in page order; null for a page that the service parsed. */
export interface RecordedGrade extends DocumentGrade {
  readonly pages: readonly (number | null)[]
  /** Expected F1 of each page's words, as the engine said it; missing in records of older releases. */
  readonly expected?: readonly (number | null)[]
}

/** What was done for which version of a document, at what cost. Committed last: no record, not done. */
export interface DocumentRecord {
  readonly schema: 1 | typeof RECORD_SCHEMA
  /** Where the source was. */
  readonly source: string
  /** Missing in schema 1. */
  readonly sourceId?: SourceId
  readonly key: SourceKey
  readonly version: Version
  readonly contentHash: ContentHash
  readonly bytes: number
  /** Canonical parse options, as `contract/recipe.ts` writes them. */
  readonly recipe: Readonly<Record<string, unknown>>
  readonly recipeHash: RecipeHash
  /** Null when the answer may not be kept (zero data retention), and where `pieces` has several. */
  readonly receipt: ReceiptId | null
  /** In page order; only of a document that was parsed in pieces. Behind those of the whole: those of single pages. */
  readonly pieces?: readonly PieceRecord[]
  /** Only of a document that was routed. */
  readonly route?: RouteRecord
  readonly outcome: 'done' | 'partial'
  /** Why it is only partial, one sentence each; empty when done. */
  readonly problems: readonly string[]
  readonly pages: PageCounts
  readonly spans: SpanCounts
  /** How well it was read; only where the embedded engine read it, and only of a PDF. */
  readonly grade?: RecordedGrade
  readonly cost: Cost
  readonly requestId: string | null
  /** As `parser.origin`. */
  readonly service: string
  /** Who made the answer, as its receipt says; of pieces by several, the weakest. Missing in schema 1. */
  readonly parser?: ParserFacts
  readonly attempts: number
  /** The claim that it was committed under; missing in records of releases up to 0.2. */
  readonly claim?: ClaimNumber
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly finishedAt: string
  readonly files: readonly OutputFile[]
  /** Links in the answer that stop working, with the moment when they do (contract: 1 h and 24 h). */
  readonly expiring: readonly { readonly field: string; readonly at: string }[]
  /** Since when the document is known to be gone from its source; these are the outputs of its last version. */
  readonly goneAt?: string
}

/** A dead letter: a document that ended failed, kept with its reason until it comes out well or is gone. */
export interface DeadLetter {
  readonly schema: 1 | typeof RECORD_SCHEMA
  /** Where the source was. */
  readonly source: string
  /** Missing in schema 1. */
  readonly sourceId?: SourceId
  readonly key: SourceKey
  readonly version: Version
  readonly contentHash: ContentHash | null
  readonly recipeHash: RecipeHash | null
  /** Of a document in pieces: those that were parsed before it failed. The next try buys none of them again. */
  readonly pieces?: readonly PieceRecord[]
  /** Version 0.2.0 wrote it: the embedded engine refused the document for good. */
  readonly engineRefused?: true
  readonly failure: Failure
  readonly attempts: number
  readonly firstAt: string
  readonly lastAt: string
}

/** An answer that was kept. */
export interface Receipt {
  /** Byte for byte. */
  readonly body: Buffer
  /** Null in a receipt of format 1. */
  readonly parser: ParserFacts | null
}

export interface KeptReceipt {
  readonly id: ReceiptId
  /** Epoch milliseconds of the last `Receipts.save`, by the clock of the store. */
  readonly savedAt: number
}

/** The receipts that a document's outputs are derived from, in page order; null for an answer that may not be kept. */
export function receiptsOf({ receipt, pieces }: DocumentRecord): readonly (ReceiptId | null)[] {
  return pieces?.map((piece) => piece.receipt) ?? [receipt]
}
