import { EventEmitter } from 'node:events'
import type { Dependency } from './document/dependency.ts'
import type { Failure, Stage } from './document/failure.ts'
import type { ContentHash, SourceKey } from './document/ids.ts'
import type { Outcome } from './document/outcome.ts'
import type { Cost, PageCounts } from './document/record.ts'
import type { LeftOutReason, SkipReason } from './document/skip.ts'
import type { HaltCause, Limit, VerdictKind } from './document/verdict.ts'

/** What a scan decided for one document. */
export const CHANGES = [
  'new',
  'changed',
  'recipe_changed',
  'parser_changed',
  'unchanged',
  'pending',
  'gone',
  'unusable',
  'skipped',
] as const

export type Change = (typeof CHANGES)[number]

/** Where a request goes; `engine`: to the embedded engine of a pipeline that has a service, too (docs/guide/service-or-engine.md). */
export interface Receiver {
  readonly to: 'parser' | 'engine'
  /** The name of a service in the settings; undefined for that of the pipeline. */
  readonly service?: string | undefined
}

/**
 * Everything Sluice reports. Metrics, log and progress read from here and nothing else emits telemetry. No event holds
 * document text, a key or a token.
 */
export interface SluiceEvents {
  'document:seen': [{ key: SourceKey; change: Change }]
  /**
   * A file that is no document. `first`: the ledger did not have it so before. `hasOutputs`: the store keeps what came out
   * of an earlier version, marked as gone.
   */
  'document:skipped': [{ key: SourceKey; reason: SkipReason; first: boolean; hasOutputs: boolean }]
  /** A release before 0.3 kept a site's error page as the document; it is asked for again. */
  'error-page:removed': [{ key: SourceKey }]
  /** A folder that is not listed. */
  'folder:left-out': [{ key: SourceKey; reason: LeftOutReason }]
  /**
   * Its job was added. Not reported of a document that was pending before, which nearly always has its job. `queuedAt`: epoch milliseconds on
   * the clock that all processes share.
   */
  'document:enqueued': [{ key: SourceKey; queuedAt: number }]
  /** `queuedAt`: as its job was enqueued. */
  'document:started': [{ key: SourceKey; attempt: number; queuedAt: number }]
  /**
   * Its claim is released, whatever became of it; follows each `document:started`. `sinceQueuedMs`: since it was first
   * enqueued, on the clock that all processes share.
   */
  'document:released': [{ key: SourceKey; sinceQueuedMs: number }]
  'document:settled': [
    {
      key: SourceKey
      outcome: Exclude<Outcome, 'pending'>
      /** It had come to this end before, or a newer version of it is pending: a delivery more, and no document more. */
      again: boolean
      /** Null unless failed. */
      failure: Failure | null
      /** One sentence each why it is only partial. */
      problems: readonly string[]
      /** Of the request that its answer came from; null where it failed, or none was sent. */
      requestId: string | null
      /** Null where it failed before it was read. */
      contentHash: ContentHash | null
      cost: Cost | null
      pages: PageCounts | null
      /** How well it was read, 0 to 1; null where that is not known. */
      grade: number | null
      durationMs: number
      /** Which counted attempt it was; 0 where it was refused as soon as it was listed. */
      attempts: number
      /** Of one that failed: whether it was pending in the ledger. */
      wasPending?: boolean
    },
  ]
  /** Its outputs and its record are in the store. */
  'document:committed': [{ key: SourceKey; contentHash: ContentHash; requestId: string | null }]
  /** Blocks whose `markdownSpan` fitted the Markdown in no unit, and became null. */
  'spans:dropped': [{ key: SourceKey; count: number }]
  /** Handed back to the queue, to come again. */
  'document:postponed': [{ key: SourceKey; counted: boolean; afterMs: number; reason: string }]
  /** It waits for what a request needs: credits under the cap, and a permit of the gate. */
  'request:waiting': [{ key: SourceKey }]
  /** A request is about to connect and to be sent. */
  'request:begun': [{ key: SourceKey } & Receiver]
  /** The first byte of a request leaves; or no connection came about, and its failure follows. */
  'request:sent': [{ key: SourceKey; bytes: number } & Receiver]
  /** A request that was begun ended before the service had it whole: the process stalled, or the document changed. */
  'request:withdrawn': [{ key: SourceKey }]
  /** `requestId`: as the service names the request; null where it names none. */
  'request:answered': [
    { key: SourceKey; verdict: VerdictKind; requestId: string | null; durationMs: number; bytes: number } & Receiver,
  ]
  /** What an answer cost, from when it came: also where its document does not come out in the end. */
  'request:charged': [{ key: SourceKey; cost: Cost; service?: string | undefined }]
  /** A request went out whole and no usable answer came back: the service may have charged these `credits`. */
  'request:lost': [{ key: SourceKey; credits: number } & Receiver]
  /** The same of a process that was killed or stopped, as the process finds that takes its document over. */
  'request:ambiguous': [{ key: SourceKey; credits: number } & Receiver]
  'request:throttled': [
    { key: SourceKey; requestId: string | null; limit: Limit; retryAfterMs: number | null } & Receiver,
  ]
  'receipt:reused': [{ key: SourceKey }]
  /** A paid answer that the store did not take is kept in the spool, `path`. */
  'answer:spooled': [{ key: SourceKey; path: string }]
  /** A paid answer could be kept nowhere: its request counts as ambiguous. */
  'answer:lost': [{ key: SourceKey; error: unknown }]
  /** One write of outputs, a receipt or a dead letter succeeded. */
  'store:written': [{ durationMs: number }]
  'stage:failed': [{ key: SourceKey; stage: Stage; error: unknown }]
  /** A scan is due by the schedule, and this process does it. */
  'schedule:due': [{ dueAt: Date }]
  /** When the next scan of the schedule is due. */
  'schedule:next': [{ dueAt: Date }]
  /** A source that is followed was listed from its first document to its last, and compared. */
  'source:listed': []
  /** A scan found no document for these globs of `never-send`. */
  'never-send:unmatched': [{ globs: readonly string[] }]
  /** Globs of rules that match no document of a source that was listed. */
  'rules:unmatched': [{ globs: readonly string[] }]
  'scan:finished': [{ seen: number; enqueued: number; durationMs: number }]
  /** Searched for documents that are no longer in the source; `unbelievable`: too many to be true, nothing was touched. */
  'sweep:finished': [{ kept: number; removed: number; forgotten: number; unbelievable: boolean }]
  /** Something went wrong beside the work on documents; `key` is null when it was no document's. */
  'process:error': [{ key: SourceKey | null; error: unknown }]
  /**
   * Redis lost data, or may have: `data` where something is known to be gone, `restart` where the server is another one
   * or was restarted and nothing of this process is missing.
   */
  'redis:lost': [{ kind: 'data' | 'restart' }]
  /** The source is scanned again within one run: Redis lost data meanwhile, or documents were left unfinished. */
  'scan:again': [{ reason: 'data' | 'restart' | 'unfinished' }]
  /** Comes from each document that meets the halt. */
  'run:halted': [{ cause: HaltCause; message: string }]
  /** The batch stands still: comes once, in one of the processes that met the halt. */
  'halt:begun': [{ cause: HaltCause }]
  /** A further service of the pipeline may be used from now on. */
  'service:opened': [{ service: string }]
  /** A dependency failed; `cause` is one sentence without a secret in it. Comes with each failure. `service`: as of `Receiver`. */
  'dependency:failed': [{ dependency: Dependency; cause: string; service?: string | undefined }]
  /** A dependency did what was asked of it. Comes with each success. */
  'dependency:works': [{ dependency: Dependency; service?: string | undefined }]
  /** This process met an outage of the service and has nothing to send; since then others got through. */
  'service:recovered': [{ service?: string | undefined }]
}

export class Events extends EventEmitter<SluiceEvents> {}
