import type { ParsedData, Extension } from '@sluice/contract'
import type { AnswerMemory } from '#src/kit/answer-memory.ts'
import type { AnswerSpool } from '#src/ports/answer-spool.ts'
import type { Dependency } from '#src/document/dependency.ts'
import type { Route, RouteTerms } from '#src/document/route.ts'
import type { Spending } from '#src/document/spending.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import type { ParserIdentity, ParserPolicy } from '#src/document/parser.ts'
import type { SourceOwner } from '#src/document/store-manifest.ts'
import type { Events } from '#src/events.ts'
import type { Clock } from '#src/ports/clock.ts'
import type { Claims, Intents, Ledger } from '#src/ports/ledger.ts'
import type { Gate } from '#src/ports/gate.ts'
import type { JobQueue } from '#src/ports/queue.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
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

/*
 * What the use cases need, in groups: a use case names the groups that it uses and sees nothing else. One object of
 * `workers/compose.ts` fills them all.
 */

/** Where events go, and what time it is. */
export interface Reporting {
  readonly events: Events
  readonly clock: Clock
}

/** A store, and the source as that store knows it. */
export interface OwnedStore {
  readonly owner: SourceOwner
  readonly store: OutputStore
}

/** A store, and which of its receipts spare a request. */
export interface ReceiptDeps {
  readonly store: OutputStore
  /** Which answers the parser makes, and which are taken from receipts. */
  readonly parsers: ParserPolicy
}

/** What is asked of the parser for each document. */
export interface Recipes {
  readonly recipeFor: (key: SourceKey, extension: Extension) => Recipe
  /** For a text that becomes outputs as it is, without a request; null for all else. */
  readonly textRecipeFor: (key: SourceKey) => Recipe | null
}

export interface Rendering {
  readonly store: OutputStore
  readonly render: (data: ParsedData, document: SourceKey) => ReadonlyMap<string, Uint8Array>
}

/** How a batch ends that cannot go on. */
export interface Halting {
  /** Tells the process that nothing more may be sent: credits, key or options. Every job is kept. */
  readonly halt: (cause: HaltCause, message: string) => void
  /**
   * How long an answer that was paid for is held in memory while the store cannot be written, and how long no document
   * may get through before the batch is halted.
   */
  readonly storePatienceMs: number
}

/** What the writes of a document wait by while the store is unavailable. */
export interface StorePatience extends Reporting, Halting {
  /** Aborts when the process is asked to stop: requests in flight may finish, and nothing waits for a store that is away. */
  readonly stopping: AbortSignal
  /** A write to the store that takes longer is reported. */
  readonly storeSlowMs: number
}

/** What writes the outcome of a document into store and ledger. */
export interface SettleDeps extends Reporting, OwnedStore, Recipes {
  readonly ledger: Ledger
}

/** What makes outputs of an answer and commits them. */
export interface CommitDeps extends SettleDeps, Rendering, Prices {
  /** A document with a page graded lower, 0 to 1, is partial; undefined: no grade matters. */
  readonly minGrade: number | undefined
}

/** The way to one parser: its client, its limiter and its prices. */
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
  readonly spending: Spending
  /** Pages of a PDF, counted on this machine before it is paid for; null where they are not needed, or not known. */
  readonly countPages: (read: ReadDocument, extension: Extension, signal: AbortSignal) => Promise<number | null>
}

/** The embedded engine beside the service, and which of them each document goes to. */
export interface Tiers {
  readonly routeOf: (key: SourceKey) => Route
  readonly mustStay: (key: SourceKey) => boolean
  readonly local: Tier
  readonly service: ParserIdentity
  /** The name of the service that a document goes to. */
  readonly serviceOf: (key: SourceKey) => string
  /** Every service by its name but that of the pipeline, which is `DEFAULT_SERVICE`. */
  readonly named: ReadonlyMap<string, Tier>
  /** The pipeline's own service, where the dependencies are those of another one. */
  readonly own?: Tier
  /** For the pages that are bought. */
  readonly cutter: PieceCutter
  readonly terms: RouteTerms
  readonly share: PageShare
}

/** What the answers for a document are bought with, from the gate to their receipts. */
export interface BuyDeps extends Reporting, Halting, Tier {
  readonly store: OutputStore
  /** Null where nothing may be kept outside the store. */
  readonly spool: AnswerSpool | null
  /** Missing where every document goes to the same parser. */
  readonly tiers?: Tiers | undefined
  readonly intents: Intents
  /** W3C trace header of the request for a document; null where it is not traced. */
  readonly traceparent?: (key: SourceKey) => string | null
  /** Shared by all pipelines of this process. */
  readonly requestPriority: RequestPriority
  readonly refusals: Refusals
  readonly view: SourceView
  readonly timedOut: TimedOut
  readonly sitePauses: SitePauses
  readonly recentCosts: RecentCosts
  /** How long the store has had no space for another answer. */
  readonly lowSpace: FailingSince
  /** Whether a scan that mode `fast` cannot read is sent once more in mode `auto`. */
  readonly ocrFallback: boolean
  /** Of answers, shared by all pipelines of this process. */
  readonly answerMemory: AnswerMemory
  /** For PDFs over the limit, and those that would take the service longer than it may; null: these are not cut. */
  readonly cutter: PieceCutter | null
  /** A document that has been in the queue for longer ends failed. */
  readonly deadlineMs: number
}

/** What a document is ingested with, from its delivery to its record. */
export interface IngestDeps extends BuyDeps, CommitDeps, StorePatience {
  readonly source: Source
  readonly claims: Claims
  /** 0 ≤ x < 1. */
  readonly random: () => number
  readonly dependencyHealth: DependencyHealth
  /** As `JobQueue.backlog`. */
  readonly backlog: JobQueue['backlog']
}

/** What distinguishes a document that is done from one that has to be done. */
export interface DecideDeps extends ReceiptDeps, Recipes {
  readonly source: Source
  readonly clock: Pick<Clock, 'wall'>
  readonly cutter: PieceCutter | null
  /** Whether documents are compared with their record by content, and not by their version. */
  readonly checksum: boolean
  /** What `--upgrade` found to be done by an older engine. */
  readonly isOutdated: (key: SourceKey) => boolean
}

/** What a source is listed and enqueued with. */
export interface ScanDeps extends DecideDeps, SettleDeps, StorePatience {
  readonly clock: Clock
  readonly queue: JobQueue
  /** Adds the source to the store; called before a document is written down. */
  readonly claimSource?: () => Promise<void>
  /** Jobs in Redis at the most; the listing waits while there are more (Law 6). */
  readonly backlogLimit: number
  /** Whether outputs are removed that stand for no document any more; else they are kept, marked as gone. */
  readonly removeGone: boolean
}
