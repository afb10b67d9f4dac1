import type { ParsedData } from '#src/contract/response.ts'
import type { AnswerMemory } from '#src/document/answer-memory.ts'
import type { AnswerSpool } from '#src/ports/answer-spool.ts'
import type { Dependency } from '#src/document/dependency.ts'
import type { Extension } from '#src/document/formats.ts'
import type { Spending } from '#src/document/spending.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { SourceOwner } from '#src/document/store-manifest.ts'
import type { Events } from '#src/events.ts'
import type { Clock } from '#src/ports/clock.ts'
import type { Claims, Intents, Ledger } from '#src/ports/ledger.ts'
import type { Gate } from '#src/ports/gate.ts'
import type { JobQueue } from '#src/ports/queue.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Parser } from '#src/ports/parser.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import type { Source } from '#src/ports/source.ts'
import type { FailingSince } from './process/failing-since.ts'
import type { Tiers } from './process/tiers.ts'
import type { TimedOut } from './process/timed-out.ts'
import type { ReadDocument } from './process/read-once.ts'
import type { Refusals } from './process/refusals.ts'
import type { RequestPriority } from './process/request-priority.ts'
import type { SourceView } from './scan/source-view.ts'
import type { DependencyHealth } from './process/dependency-health.ts'

/** Everything the use cases need, handed over by `workers/compose.ts`. */
export interface IngestDeps {
  readonly source: Source
  /** The source as the store knows it. */
  readonly owner: SourceOwner
  readonly store: OutputStore
  /** Null where nothing may be kept outside the store. */
  readonly spool: AnswerSpool | null
  readonly parser: Parser
  /** Which answers that parser makes, and which are taken from receipts. */
  readonly parsers: ParserPolicy
  /** What an answer of that parser, or its silence, tells about; default: the service. */
  readonly dependency?: Dependency
  /** Missing where every document goes to the same parser. */
  readonly tiers?: Tiers | undefined
  readonly gate: Gate
  readonly ledger: Ledger
  readonly claims: Claims
  readonly intents: Intents
  readonly events: Events
  /** W3C trace header of the request for a document; null where it is not traced. */
  readonly traceparent?: (key: SourceKey) => string | null
  readonly recipeFor: (key: SourceKey, extension: Extension) => Recipe
  /** For a text that becomes outputs as it is, without a request; null for all else. */
  readonly textRecipeFor: (key: SourceKey) => Recipe | null
  readonly render: (data: ParsedData, document: SourceKey) => ReadonlyMap<string, Uint8Array>
  /** What a request will cost by the price model, in credits. `pages` is null when they were not counted. */
  readonly price: (recipe: Recipe, extension: Extension, pages: number | null) => number
  /** What a credit that the service reports is charged as, in credits: nothing for a parser that is free. */
  readonly charge: (reported: number) => number
  readonly spending: Spending
  /** Pages of a PDF, counted on this machine before it is paid for; null where they are not needed, or not known. */
  readonly countPages: (read: ReadDocument, extension: Extension, signal: AbortSignal) => Promise<number | null>
  /** For PDFs over the limit; null where they are refused. */
  readonly cutter: PieceCutter | null
  /** For PDFs that would take the service longer than it may; null or missing where they are sent whole. */
  readonly longPdfCutter?: PieceCutter | null
  /** Tells the process that nothing more may be sent: credits, key or options. Every job is kept. */
  readonly halt: (cause: HaltCause, message: string) => void
  /** Aborts when the process is told to stop: requests in flight may finish, and nothing waits for a store that is away. */
  readonly stopping: AbortSignal
  readonly clock: Clock
  /** 0 ≤ x < 1. */
  readonly random: () => number
  /** Shared by all pipelines of this process. */
  readonly requestPriority: RequestPriority
  /** Of answers, shared by all pipelines of this process. */
  readonly answerMemory: AnswerMemory
  readonly dependencyHealth: DependencyHealth
  readonly view: SourceView
  readonly refusals: Refusals
  /** How long the store has had no room for another answer. */
  readonly timedOut: TimedOut
  readonly lowSpace: FailingSince
  /** Whether a scan that mode `fast` cannot read is sent once more in mode `auto`. */
  readonly ocrFallback: boolean
  /** A document with a page graded lower, 0 to 1, is partial; undefined: no grade matters. */
  readonly minGrade: number | undefined
  /**
   * How long an answer that was paid for is held in memory while the store cannot be written, and how long no document
   * may get through before the batch is halted.
   */
  readonly storePatienceMs: number
  /** A write to the store that takes longer is reported. */
  readonly storeSlowMs: number
  /** A document that has been in the queue for longer ends failed. */
  readonly deadlineMs: number
}

export interface ScanDeps extends Pick<
  IngestDeps,
  | 'source'
  | 'owner'
  | 'parsers'
  | 'store'
  | 'ledger'
  | 'events'
  | 'recipeFor'
  | 'textRecipeFor'
  | 'cutter'
  | 'clock'
  | 'halt'
  | 'stopping'
  | 'storePatienceMs'
  | 'storeSlowMs'
> {
  readonly queue: JobQueue
  /** Jobs in Redis at the most; the listing waits while there are more (Law 6). */
  readonly backlogLimit: number
  /** What `--upgrade` found to be done by an older engine. */
  readonly isOutdated: (key: SourceKey) => boolean
  /** Whether outputs are removed that stand for no document any more; else they are kept, marked as gone. */
  readonly removeGone: boolean
  /** Whether documents are told from what is recorded by their content, and not by their version. */
  readonly checksum: boolean
}
