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
import type { RedisData } from './lost-redis.ts'
import type { Requests } from '../service/open-requests.ts'
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
  readonly settings: Settings
  /** Names source and store in Redis. */
  readonly id: string
  readonly shared: Shared
  readonly connection: RedisConnection
  readonly source: Source
  /** The source as the store knows it. */
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
  /** What one document, or one page, is bought and kept with. */
  readonly ingest: IngestDeps
  /** What the embedded engine did and this run does again at the service; null where there is none. */
  readonly local: LocalDocuments | null
  readonly gone: GonePolicy
  /** Whether Redis still has what it had, and how to make good what it lost. */
  readonly data: RedisData
  /** The way to its service; the limiter is shared by all processes with the same key. */
  readonly requests: Requests
  readonly intents: RedisIntents
  /** Before this process feeds the queue: its cap (`--max-credits`) binds every worker on it from now on. */
  readonly beginRun: () => Promise<void>
  readonly runRecord: RunRecord
}
