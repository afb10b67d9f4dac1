import type { ParsedData, Extension } from '@sluice/contract'
import type { AnswerMemory } from '#src/kit/answer-memory.ts'
import type { AnswerSpool } from '#src/ports/answer-spool.ts'
import type { Dependency } from '#src/document/dependency.ts'
import type { Route, RouteTerms } from '#src/document/route.ts'
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
import type { DeadLetters, Documents, Maintenance, Receipts } from '#src/ports/output-store.ts'
import type { PageShare } from '#src/ports/page-share.ts'
import type { Parser } from '#src/ports/parser.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { Source } from '#src/ports/source.ts'
import type { FailingSince, DependencyHealth } from './dependency-health.ts'
import type { Prices, RecentCosts } from './costs.ts'
import type { SitePauses, TimedOut } from './service-memory.ts'
import type { ReadDocument } from './read-once.ts'
import type { ReadWindow } from './read-window.ts'
import type { Refusals } from './refusals.ts'
import type { RequestPriority } from './request-priority.ts'
import type { SourceView } from './source-view.ts'

/** What a pipeline ingests documents with. `workers/compose.ts` fills it; a function names the objects that it uses. */
export interface IngestDeps {
  readonly stores: Stores
  readonly tiers: Tiers
  readonly run: Run
  readonly policy: Policy
}

/** What a document is bought, kept and settled with, once its tier is chosen (`Work.tier`). */
export type DocumentDeps = Pick<IngestDeps, 'stores' | 'run' | 'policy'>

/** Where documents come from, and what is kept of them. */
export interface Stores {
  readonly source: Source
  /** The source as the store knows it. */
  readonly owner: SourceOwner
  readonly receipts: Omit<Receipts, 'remove'>
  readonly documents: Pick<Documents, 'read' | 'readOutput' | 'commit' | 'remove'>
  readonly deadLetters: DeadLetters
  readonly maintenance: Pick<Maintenance, 'checkSpace'>
  /** Null where nothing may be kept outside the store. */
  readonly spool: AnswerSpool | null
  readonly ledger: Ledger
  readonly claims: Claims
}

/** The way to one parser: its client, its limiter, its intents and its prices. */
export interface Tier extends Prices {
  readonly parser: Parser
  /** Which answers that parser makes, and which are taken from receipts. */
  readonly parsers: ParserPolicy
  /** The dependency whose health an answer of that parser, or its silence, shows; default: the service. */
  readonly dependency?: Dependency
  /** The name of the service in the settings; undefined for that of the pipeline. */
  readonly service?: string | undefined
  readonly gate: Gate
  /** Of the documents that wait for a permit of that gate. */
  readonly readWindow: Pick<ReadWindow, 'enter'>
  readonly intents: Intents
  readonly spending: Spending
  /** Pages of a PDF, counted on this machine before it is paid for; null where they are not needed, or not known. */
  readonly countPages: (read: ReadDocument, extension: Extension, signal: AbortSignal) => Promise<number | null>
}

export interface Tiers {
  /** The pipeline's own. */
  readonly main: Tier
  /** Null where every document goes to it. */
  readonly routed: RoutedTiers | null
}

/** The embedded engine and further services beside the pipeline's own, and which of them each document goes to. */
export interface RoutedTiers {
  readonly routeOf: (key: SourceKey) => Route
  readonly local: Tier
  /** The name of the service that a document goes to. */
  readonly serviceOf: (key: SourceKey) => string
  /** Every service by its name but that of the pipeline, which is `DEFAULT_SERVICE`. */
  readonly named: ReadonlyMap<string, Tier>
  /** For the pages that are bought. */
  readonly cutter: PieceCutter
  readonly terms: RouteTerms
  readonly share: PageShare
}

/** What this process reports, remembers and shares between its documents. */
export interface Run {
  readonly events: Events
  readonly clock: Clock
  /** 0 ≤ x < 1. */
  readonly random: () => number
  /** Tells the process that nothing more may be sent: credits, key or options. Every job is kept. */
  readonly halt: (cause: HaltCause, message: string) => void
  /** Aborts when the process is asked to stop: requests in flight may finish, and nothing waits for a store that is away. */
  readonly stopping: AbortSignal
  /** W3C trace header of the request for a document; null where it is not traced. */
  readonly traceparent?: (key: SourceKey) => string | null
  /** As `JobQueue.backlog`. */
  readonly backlog: JobQueue['backlog']
  /** Shared by all pipelines of this process. */
  readonly requestPriority: RequestPriority
  /** Of answers, shared by all pipelines of this process. */
  readonly answerMemory: AnswerMemory
  readonly dependencyHealth: DependencyHealth
  /** How long the store has had no space for another answer. */
  readonly lowSpace: FailingSince
  readonly refusals: Refusals
  readonly view: SourceView
  readonly timedOut: TimedOut
  readonly sitePauses: SitePauses
  readonly recentCosts: RecentCosts
}

/** What the settings say of documents. */
export interface Policy {
  /** What is asked of the parser for each document. */
  readonly recipeFor: (key: SourceKey, extension: Extension) => Recipe
  /** For a text that becomes outputs as it is, without a request; null for all else. */
  readonly textRecipeFor: (key: SourceKey) => Recipe | null
  /** Whether a document must not leave this machine. */
  readonly mustStay: (key: SourceKey) => boolean
  readonly render: (data: ParsedData, document: SourceKey) => ReadonlyMap<string, Uint8Array>
  /** A document with a page graded lower, 0 to 1, is partial; undefined: no grade matters. */
  readonly minGrade: number | undefined
  /** Whether a scan that mode `fast` cannot read is sent once more in mode `auto`. */
  readonly ocrFallback: boolean
  /** For PDFs over the limit, and those that would take the service longer than it may; null: these are not cut. */
  readonly cutter: PieceCutter | null
  /** A document that has been in the queue for longer ends failed. */
  readonly deadlineMs: number
  /**
   * How long an answer that was paid for is held in memory while the store cannot be written, and how long no document
   * may get through before the batch is halted.
   */
  readonly storePatienceMs: number
  /** A write to the store that takes longer is reported. */
  readonly storeSlowMs: number
}

export type Recipes = Pick<Policy, 'recipeFor' | 'textRecipeFor'>

/** What distinguishes a document that is done from one that has to be done. */
export interface DecideDeps {
  readonly stores: Pick<Stores, 'source' | 'receipts' | 'documents' | 'deadLetters'>
  readonly run: { readonly clock: Pick<Clock, 'wall'> }
  readonly policy: Recipes & Pick<Policy, 'cutter'>
  readonly parsers: ParserPolicy
  /** Whether documents are compared with their record by content, and not by their version. */
  readonly checksum: boolean
  /** What `--upgrade` found to be done by an older engine. */
  readonly isOutdated: (key: SourceKey) => boolean
}

/** What a source is listed and enqueued with. */
export interface ScanDeps extends DecideDeps {
  readonly stores: Stores
  readonly run: Run
  readonly policy: Policy
  readonly queue: JobQueue
  /** Adds the source to the store; called before a document is written down. */
  readonly claimSource?: () => Promise<void>
  /** Jobs in Redis at the most; the listing waits while there are more (Law 6). */
  readonly backlogLimit: number
  /** Whether outputs are removed that stand for no document any more; else they are kept, marked as gone. */
  readonly removeGone: boolean
}
