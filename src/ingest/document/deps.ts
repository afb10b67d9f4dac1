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
import type { FailureStreak, DependencyHealth } from './dependency-health.ts'
import type { Prices, RecentCosts } from './costs.ts'
import type { SitePauses, TimeoutMemory } from './service-memory.ts'
import type { ReadDocument } from './read-once.ts'
import type { ReadWindow } from './read-window.ts'
import type { Refusals } from './refusals.ts'
import type { RequestPriority } from './request-priority.ts'
import type { SourceView } from './source-view.ts'

/** Dependencies of a pipeline. `workers/compose.ts` fills them in; a function names the objects that it uses. */
export interface IngestDeps {
  readonly stores: Stores
  readonly tiers: Tiers
  readonly run: Run
  readonly policy: Policy
}

/** Dependencies to buy, save and end a document, once its tier is chosen (`Work.tier`). */
export type DocumentDeps = Pick<IngestDeps, 'stores' | 'run' | 'policy'>

/** Source of the documents, and the stores of their outputs and states. */
export interface Stores {
  readonly source: Source
  /** Identity of the source in the store. */
  readonly owner: SourceOwner
  readonly receipts: Omit<Receipts, 'remove'>
  readonly documents: Pick<Documents, 'read' | 'readOutput' | 'commit' | 'remove'>
  readonly deadLetters: DeadLetters
  readonly maintenance: Pick<Maintenance, 'checkSpace'>
  /** Null if nothing may be kept outside the store. */
  readonly spool: AnswerSpool | null
  readonly ledger: Ledger
  readonly claims: Claims
}

/** Access to one parser: its client, its limiter, its intents and its prices. */
export interface Tier extends Prices {
  readonly parser: Parser
  /** Class of that parser's answers, and the classes accepted from receipts. */
  readonly parsers: ParserPolicy
  /** The dependency whose health that parser's answers show; default: the service. */
  readonly dependency?: Dependency
  /** Name of the service in the settings; undefined for that of the pipeline. */
  readonly service?: string | undefined
  readonly gate: Gate
  /** Window for the documents that wait for a permit of that gate. */
  readonly readWindow: Pick<ReadWindow, 'enter'>
  readonly intents: Intents
  readonly spending: Spending
  /** Counts the pages of a PDF on this machine before payment; null if unneeded or unknown. */
  readonly countPages: (read: ReadDocument, extension: Extension, signal: AbortSignal) => Promise<number | null>
}

export interface Tiers {
  /** The tier of the pipeline itself. */
  readonly main: Tier
  /** Null if every document goes to it. */
  readonly routed: RoutedTiers | null
}

/** The embedded engine and further services next to the pipeline's own, and the route of each document. */
export interface RoutedTiers {
  readonly routeOf: (key: SourceKey) => Route
  readonly local: Tier
  /** Name of a document's service. */
  readonly serviceOf: (key: SourceKey) => string
  /** Every service by its name except that of the pipeline, which is `DEFAULT_SERVICE`. */
  readonly named: ReadonlyMap<string, Tier>
  /** For the bought pages. */
  readonly cutter: PieceCutter
  readonly terms: RouteTerms
  readonly share: PageShare
}

/** Reports, caches and shared state of this process. */
export interface Run {
  readonly events: Events
  readonly clock: Clock
  /** 0 ≤ x < 1. */
  readonly random: () => number
  /** Tells the process that no request may go out any more: credits, key or options. Every job stays in the queue. */
  readonly halt: (cause: HaltCause, message: string) => void
  /** Aborts on a stop request: requests in flight may finish, and no write waits for an unavailable store. */
  readonly stopping: AbortSignal
  /** W3C trace header of the request for a document; null if it is not traced. */
  readonly traceparent?: (key: SourceKey) => string | null
  /** See `JobQueue.backlog`. */
  readonly backlog: JobQueue['backlog']
  /** Shared by all pipelines of this process. */
  readonly requestPriority: RequestPriority
  /** Memory budget of answers, shared by all pipelines of this process. */
  readonly answerMemory: AnswerMemory
  readonly dependencyHealth: DependencyHealth
  /** Time since the store last had space for another answer. */
  readonly lowSpace: FailureStreak
  readonly refusals: Refusals
  readonly view: SourceView
  readonly timeoutMemory: TimeoutMemory
  readonly sitePauses: SitePauses
  readonly recentCosts: RecentCosts
}

/** Settings for documents. */
export interface Policy {
  /** Options of the request for each document. */
  readonly recipeFor: (key: SourceKey, extension: Extension) => Recipe
  /** Recipe of a text that becomes outputs unchanged, without a request; null for any other document. */
  readonly textRecipeFor: (key: SourceKey) => Recipe | null
  /** True if a document must not leave this machine. */
  readonly mustStay: (key: SourceKey) => boolean
  readonly render: (data: ParsedData, document: SourceKey) => ReadonlyMap<string, Uint8Array>
  /** A document with a page graded lower, 0 to 1, is partial; undefined: grades have no effect. */
  readonly minGrade: number | undefined
  /** True to send a scan that mode `fast` cannot read once more in mode `auto`. */
  readonly ocrFallback: boolean
  /** For PDFs over the limit, and for those beyond the service's timeout; null: no cuts. */
  readonly cutter: PieceCutter | null
  /** A document that exceeds this time in the queue fails. */
  readonly deadlineMs: number
  /**
   * Maximum time for which a paid answer stays in memory while the store is unwritable. Also the maximum time without
   * any success before the batch is halted.
   */
  readonly storePatienceMs: number
  /** Threshold: a slower write to the store is reported. */
  readonly storeSlowMs: number
}

export type Recipes = Pick<Policy, 'recipeFor' | 'textRecipeFor'>

/** Dependencies of the decision whether a document is done. */
export interface DecideDeps {
  readonly stores: Pick<Stores, 'source' | 'receipts' | 'documents' | 'deadLetters'>
  readonly run: { readonly clock: Pick<Clock, 'wall'> }
  readonly policy: Recipes & Pick<Policy, 'cutter'>
  readonly parsers: ParserPolicy
  /** True to compare documents with their record by content instead of version. */
  readonly checksum: boolean
  /** True for documents that `--upgrade` found to be done by an older engine. */
  readonly isOutdated: (key: SourceKey) => boolean
}

/** Dependencies to list a source and enqueue its documents. */
export interface ScanDeps extends DecideDeps {
  readonly stores: Stores
  readonly run: Run
  readonly policy: Policy
  readonly queue: JobQueue
  /** Adds the source to the store. Called before the first document is recorded. */
  readonly claimSource?: () => Promise<void>
  /** Maximum number of jobs in Redis; the listing waits while there are more (Law 6). */
  readonly backlogLimit: number
  /** True to remove the outputs of documents that are gone. Otherwise they stay, marked as gone. */
  readonly removeGone: boolean
}
