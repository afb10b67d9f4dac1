import { EventEmitter } from 'node:events'
import type { Dependency } from './document/dependency.ts'
import type { Failure, Stage } from './document/failure.ts'
import type { ContentHash, SourceKey } from './document/ids.ts'
import type { Outcome } from './document/outcome.ts'
import type { Cost, PageCounts } from './document/record.ts'
import type { LeftOutReason, SkipReason } from './document/skip.ts'
import type { HaltCause, Limit, VerdictKind } from './document/verdict.ts'

/** Decision of a scan about one document. */
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

/**
 * Target of a request; `engine`: to the embedded engine of a pipeline that has a service, too
 * (docs/guide/service-or-engine.md).
 */
export interface Receiver {
  readonly to: 'parser' | 'engine'
  /** Name of a service in the settings; undefined for that of the pipeline. */
  readonly service?: string | undefined
}

/** Excess of the mass-deletion safety limit. */
export type Unbelievable =
  /** The source lists no document: `files` others, while the ledger has `documents`. */
  | { readonly kind: 'no_document'; readonly files: number; readonly documents: number }
  /** More than `limit` of the `known` files of the ledger are missing. */
  | { readonly kind: 'too_many'; readonly limit: number; readonly known: number }

/**
 * All events of Sluice. Metrics, log and progress subscribe to them; no other code emits telemetry. No event holds
 * document text, a key or a token.
 */
export interface SluiceEvents {
  'document:seen': [{ key: SourceKey; change: Change }]
  /**
   * A file that is not a document. `first`: the ledger did not have it as skipped before. `hasOutputs`: the store keeps
   * the outputs of an earlier version, marked as gone.
   */
  'document:skipped': [{ key: SourceKey; reason: SkipReason; first: boolean; hasOutputs: boolean }]
  /** A release before 0.3 kept a site's error page as the document; the document is requested again. */
  'error-page:removed': [{ key: SourceKey }]
  /** A folder that is not listed. */
  'folder:left-out': [{ key: SourceKey; reason: LeftOutReason }]
  /**
   * Its job was added. Not emitted for a document that was pending before, which nearly always has its job. `queuedAt`:
   * epoch milliseconds on the clock that all processes share.
   */
  'document:enqueued': [{ key: SourceKey; queuedAt: number }]
  /** `queuedAt`: time of its job's enqueuing. */
  'document:started': [{ key: SourceKey; attempt: number; queuedAt: number }]
  /**
   * Its claim is released, for any result; follows each `document:started`. `sinceQueuedMs`: time since its first
   * enqueuing, on the clock that all processes share.
   */
  'document:released': [{ key: SourceKey; sinceQueuedMs: number }]
  'document:settled': [
    {
      key: SourceKey
      outcome: Exclude<Outcome, 'pending'>
      /** True for a duplicate delivery: the document had this outcome before, or a newer version of it is pending. */
      again: boolean
      /** Null unless failed. */
      failure: Failure | null
      /** Reasons why it is only partial, one sentence each. */
      problems: readonly string[]
      /** Id of the request with its answer; null after a failure, or without a request. */
      requestId: string | null
      /** Null if it failed before it was read. */
      contentHash: ContentHash | null
      cost: Cost | null
      pages: PageCounts | null
      /** Reading quality, 0 to 1; null if unknown. */
      grade: number | null
      durationMs: number
      /** Number of its last counted attempt; 0 if the scan refused it. */
      attempts: number
      /** For a failed document: true if it was pending in the ledger. */
      wasPending?: boolean
    },
  ]
  /** The store has its outputs and its record. */
  'document:committed': [{ key: SourceKey; contentHash: ContentHash; requestId: string | null }]
  /** Blocks whose `markdownSpan` fit the Markdown in no unit, and became null. */
  'spans:dropped': [{ key: SourceKey; count: number }]
  /** Returned to the queue for a later delivery. */
  'document:postponed': [{ key: SourceKey; counted: boolean; afterMs: number; reason: string }]
  /** It waits for credits under the cap, and for a permit of the gate. */
  'request:waiting': [{ key: SourceKey }]
  /** A request is about to connect and to be sent. */
  'request:begun': [{ key: SourceKey } & Receiver]
  /** The first byte of a request leaves; or the connection failed, and its failure follows. */
  'request:sent': [{ key: SourceKey; bytes: number } & Receiver]
  /** A started request ended before the service had all of it: the process stalled, or the document changed. */
  'request:withdrawn': [{ key: SourceKey }]
  /** `requestId`: the service's id of the request; null without one. */
  'request:answered': [
    { key: SourceKey; verdict: VerdictKind; requestId: string | null; durationMs: number; bytes: number } & Receiver,
  ]
  /** Cost of an answer at its arrival, even if its document fails later. */
  'request:charged': [{ key: SourceKey; cost: Cost; service?: string | undefined }]
  /** A complete request was sent and no usable answer arrived: the service may have charged these `credits`. */
  'request:lost': [{ key: SourceKey; credits: number } & Receiver]
  /** The same after a crash or stop of another process, detected by the worker that takes its document over. */
  'request:ambiguous': [{ key: SourceKey; credits: number } & Receiver]
  'request:throttled': [
    { key: SourceKey; requestId: string | null; limit: Limit; retryAfterMs: number | null } & Receiver,
  ]
  'receipt:reused': [{ key: SourceKey }]
  /** The store did not take a paid answer, so the spool keeps it at `path`. */
  'answer:spooled': [{ key: SourceKey; path: string }]
  /** A paid answer could not be kept: its request counts as ambiguous. */
  'answer:lost': [{ key: SourceKey; error: unknown }]
  /** A write of outputs, a receipt or a dead letter succeeded. */
  'store:written': [{ durationMs: number }]
  'stage:failed': [{ key: SourceKey; stage: Stage; error: unknown }]
  /** A scan is due by the schedule, and this process runs it. */
  'schedule:due': [{ dueAt: Date }]
  /** Time of the schedule's next scan. */
  'schedule:next': [{ dueAt: Date }]
  /** A watched source was listed completely, and compared. */
  'source:listed': []
  /** A scan found no document for these globs of `never-send`. */
  'never-send:unmatched': [{ globs: readonly string[] }]
  /** Globs of rules that match no document of a listed source. */
  'rules:unmatched': [{ globs: readonly string[] }]
  'scan:finished': [{ seen: number; enqueued: number; durationMs: number }]
  /**
   * Searched for documents that left the source. `unbelievable`: the result exceeds the safety limit, so nothing was
   * deleted.
   */
  'sweep:finished': [{ kept: number; removed: number; forgotten: number; unbelievable: Unbelievable | null }]
  /** An error outside the work on documents; `key` is null if it concerns no document. */
  'process:error': [{ key: SourceKey | null; error: unknown }]
  /**
   * Redis lost data, or may have: `data` if data are known to be lost, `restart` if the server is another one or was
   * restarted and no data of this process is missing.
   */
  'redis:lost': [{ kind: 'data' | 'restart' }]
  /** The source is scanned again within one run: Redis lost data during the scan, or documents were left unfinished. */
  'scan:again': [{ reason: 'data' | 'restart' | 'unfinished' }]
  /** Emitted for each document that stops at a halt of the run. */
  'run:halted': [{ cause: HaltCause; message: string }]
  /** The batch is halted: emitted once, in one of the processes that met the halt. */
  'halt:begun': [{ cause: HaltCause; message: string }]
  /** A process ended its work: a run, a watch, a retry. `message` is one sentence without a secret. */
  'run:ended': [{ kind: 'complete' | 'halted' | 'interrupted' | 'failed'; message: string | null }]
  /** A further service of the pipeline becomes available. */
  'service:opened': [{ service: string }]
  /**
   * A dependency failed; `cause` is one sentence without a secret in it. Emitted for each failure. `service`: as in
   * `Receiver`.
   */
  'dependency:failed': [{ dependency: Dependency; cause: string; service?: string | undefined }]
  /** A dependency worked. Emitted for each success. */
  'dependency:works': [{ dependency: Dependency; service?: string | undefined }]
  /** This process met an outage of the service and has nothing to send; since then requests of others succeeded. */
  'service:recovered': [{ service?: string | undefined }]
}

export class Events extends EventEmitter<SluiceEvents> {}
