import type { Settings } from '#config/settings.ts'
import type { StoreSource } from '#src/document/store-manifest.ts'
import type { Events } from '#src/events.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import type { Refusals } from '#src/ingest/process/refusals.ts'
import type { SourceView } from '#src/ingest/scan/source-view.ts'
import type { LocalDocuments } from '#src/ingest/process/local-documents.ts'
import type { GonePolicy } from '#src/ingest/scan/sweep-gone.ts'
import type { RetryDeps } from '#src/ingest/maintain/retry-dead-letters.ts'
import type { Intent } from '#src/ledger/redis-intents.ts'
import type { UnusableAnswers } from '#src/ledger/unusable-answers.ts'
import type { RedisActivity } from '#src/ledger/redis-activity.ts'
import type { RedisLastRun } from '#src/ledger/redis-last-run.ts'
import type { RedisOutages } from '#src/ledger/redis-outages.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Source, SourceWatch } from '#src/ports/source.ts'
import type { Consumer } from '#src/queue/consume.ts'
import type { DocumentQueue } from '#src/queue/document-queue.ts'
import type { RunRecord } from './run-record.ts'
import type { RedisData } from './lost-redis.ts'
import type { PlanDeps } from '#src/ingest/scan/plan-source.ts'
import type { Requests } from './open-requests.ts'
import type { WorkState } from './work-state.ts'
import type { CustomPorts } from './custom-ports.ts'
import type { Shared } from './shared.ts'

export interface PipelineOptions {
  /** As the settings file names it; null for what the command line says. */
  readonly name?: string | null
  /** The source as the command line or the settings file names it. */
  readonly source: string
  readonly settings: Settings
  readonly events: Events
  /** Called with one line about what takes a moment. */
  readonly say: (line: string) => void
  /** What it has in common with the other pipelines of this process; its own when not given. */
  readonly shared?: Shared
  /** Whether anything but a store at `--out` is refused; else it is made one where documents are ingested. */
  readonly mustExist?: boolean
  readonly custom?: CustomPorts
}

/** A source, a store and all that lies between them, open. Disposing closes it in reverse. */
export interface Pipeline extends AsyncDisposable {
  readonly source: Source
  /** The source as the store knows it. */
  readonly owner: StoreSource
  /** Follows the source. */
  readonly watch: () => Promise<SourceWatch>
  readonly store: OutputStore
  readonly ledger: Ledger
  readonly queue: DocumentQueue
  readonly events: Events
  /** Requests in flight at a hard kill that were not sent again: whether they were charged is unknown (Law 2). */
  readonly ambiguousIntents: () => Promise<readonly Intent[]>
  readonly unusableAnswers: () => Promise<UnusableAnswers>
  /** What the gate is doing, in a few words; null when there is nothing to say. */
  readonly gateLine: () => Promise<string | null>
  readonly lastRun: RedisLastRun
  readonly outages: RedisOutages // Dependencies that its processes last reported as unavailable.
  readonly activity: RedisActivity
}

/** A pipeline that can also send requests. */
export interface IngestPipeline extends Pipeline {
  readonly scan: RetryDeps
  /** What one document, or one page, is bought and kept with. */
  readonly ingest: IngestDeps
  /** What the embedded engine did and this run does again at the service; null where there is none. */
  readonly local: LocalDocuments | null
  readonly gone: GonePolicy
  /** Whether Redis still has what it had, and how to make good what it lost. */
  readonly data: RedisData
  readonly settings: Settings
  /** What the service refused in this process. */
  readonly refusals: Refusals
  /** What this process may conclude from a document that it does not see. */
  readonly view: SourceView
  /** Before this process feeds the queue: its cap (`--max-credits`) binds every worker on it from now on. */
  readonly beginRun: () => Promise<void>
  /** What keeps its documents back now. */
  readonly workState: () => Promise<WorkState>
  /** Shared by all processes with the same key. */
  readonly limiter: Requests['gate']['limiter']
  /** Requests that were in flight at a hard kill: whether the service charged for them is unknown (Law 2). */
  readonly ambiguous: () => Promise<number>
  readonly runRecord: RunRecord
  /** Starts taking jobs. */
  readonly consume: () => Consumer
  /** Does something at set times until `signal` aborts; of all processes on this pipeline one does it each time. */
  readonly onSchedule: (
    every: string,
    action: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>
}

/** A pipeline that is only read, with what a plan needs. */
export interface Planning extends Pipeline {
  readonly plan: PlanDeps
  /** How long so many requests take at what the gate has learned; null while it knows nothing. */
  readonly estimatedMs: (requests: number) => Promise<number | null>
}
