import type { Settings } from '#config/settings.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { StoreSource } from '#src/document/store-manifest.ts'
import type { Events } from '#src/events.ts'
import type { IngestDeps } from '#src/ingest/document/deps.ts'
import type { LocalDocuments } from '#src/ingest/document/local-documents.ts'
import type { GonePolicy } from '#src/ingest/scan/sweep-gone.ts'
import type { RetryDeps } from '#src/ingest/scan/retry-dead-letters.ts'
import type { RedisIntents } from '#src/ledger/redis-intents.ts'
import type { RedisActivity } from '#src/ledger/redis-activity.ts'
import type { RedisLastRun } from '#src/ledger/redis-last-run.ts'
import type { RedisOutages } from '#src/ledger/redis-outages.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Source, SourceWatch } from '#src/ports/source.ts'
import type { DocumentQueue } from '#src/queue/document-queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import type { RunRecord } from './run-record.ts'
import type { RedisData } from './redis-data.ts'
import type { Requests } from '../service/open-requests.ts'
import type { CustomPorts } from './custom-ports.ts'
import type { Shared } from './shared.ts'

export interface PipelineOptions {
  /** The name in the settings file; null for the command line. */
  readonly name?: string | null
  /** The source as the command line or the settings file names it. */
  readonly source: string
  readonly settings: Settings
  readonly events: Events
  /** Called with one line before a slow step. */
  readonly say: (line: string) => void
  /** Resources shared with the other pipelines of this process; new ones by default. */
  readonly shared?: Shared
  /** True if only an existing store at `--out` is accepted; otherwise ingestion makes one. */
  readonly mustExist?: boolean
  readonly custom?: CustomPorts
}

/** An open source, its store and all ports between them. Disposing closes them in reverse. */
export interface Pipeline extends AsyncDisposable {
  readonly settings: Settings
  /** Names source and store in Redis. */
  readonly id: string
  readonly shared: Shared
  readonly connection: RedisConnection
  readonly source: Source
  /** The source as recorded in the store. */
  readonly owner: StoreSource
  /** Follows the source. */
  readonly watch: () => Promise<SourceWatch>
  readonly store: OutputStore
  readonly parsers: ParserPolicy
  readonly ledger: Ledger
  readonly queue: DocumentQueue
  readonly events: Events
  readonly lastRun: RedisLastRun
  readonly outages: RedisOutages // Dependencies that its processes last reported as unavailable.
  readonly activity: RedisActivity
}

/** A pipeline that can also send requests. */
export interface IngestPipeline extends Pipeline {
  readonly scan: RetryDeps
  /** Ports for the purchase and storage of one document or page. */
  readonly ingest: IngestDeps
  /** Documents of the embedded engine that this run repeats at the service; null if none exist. */
  readonly local: LocalDocuments | null
  readonly gone: GonePolicy
  /** Detects lost data in Redis and restores them. */
  readonly data: RedisData
  /** The client of its service; all processes with the same key share the limiter. */
  readonly requests: Requests
  readonly intents: RedisIntents
  /**
   * Runs before this process feeds the queue: from then on its cap (`--max-credits`) applies to every worker of the
   * queue.
   */
  readonly beginRun: () => Promise<void>
  readonly runRecord: RunRecord
}
