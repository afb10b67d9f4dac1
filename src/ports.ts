import type { AnswerHold } from './document/answer-memory.ts'
import type { ParseOptions } from './contract/options.ts'
import type { Extension } from './document/formats.ts'
import type { Failure } from './document/failure.ts'
import type { ContentHash, ReceiptId, RecipeHash, SourceKey, Version } from './document/ids.ts'
import type { Counts } from './document/outcome.ts'
import type { HaltCause, Verdict } from './document/verdict.ts'

export type { Recipe } from './contract/recipe.ts'
import type { SourceEntry } from './document/source-entry.ts'
export type { SourceEntry }
import type { SourceTraits } from './document/source-traits.ts'
export { DocumentChanged } from './document/document-changed.ts'

/*
 * The map of the system: what each adapter promises. The comment on a method is the contract that the conformance
 * suites in test/conformance hold every adapter to. Expected outcomes are values; what is thrown is a bug or a broken
 * surrounding (disk gone, Redis away), with its cause.
 */

// ---------------------------------------------------------------------------------------------------------- sources

export interface Source extends SourceTraits {
  /** Canonical address, the same on every machine: `file:///data/papers/`, `s3://bucket/prefix/`. */
  readonly url: string
  /**
   * Streams what is there, in no order, holding no more than one page or folder in memory. Throws when the listing
   * cannot go on: then no caller may conclude that a document which was not listed is gone.
   */
  list(signal: AbortSignal): AsyncIterable<SourceEntry>
  /** Opens a document for reading. A `Failure` is about this document only (vanished, unreadable). Repeatable. */
  open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure>
}

export type SourceChange =
  | SourceEntry
  /** No longer there. Reported where it was seen to go; only a whole listing tells of all that is gone. */
  | { readonly kind: 'gone'; readonly key: SourceKey }

export interface SourceWatch {
  /**
   * Never ends by itself. Begins with everything that is there, then reports each change, in batches that are never
   * empty, in no order and at least once: who listens compares with the ledger. A batch counts as taken care of when
   * the next one is asked for; what was not may be reported again after a restart. Throws when it cannot go on. `onListed`: a listing ended, and is taken care of.
   */
  changes(signal: AbortSignal, onListed?: () => void): AsyncIterable<readonly SourceChange[]>
  rescan(): void // Everything that is there is soon reported once more, as at the beginning.
}

/** One version of a document's bytes, held open. */
export interface OpenedDocument extends AsyncDisposable {
  readonly kind: 'opened'
  readonly version: Version
  readonly bytes: number
  /** Where the service fetches it by itself; what is read here then only names it. */
  readonly address?: string
  /**
   * Starts at the first byte at each call. A chunk is good until the next one is asked for: a caller that keeps it
   * copies it. Throws `DocumentChanged` where other bytes than this version's appear.
   */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Whether the source still holds the version that was opened. */
  unchanged(signal: AbortSignal): Promise<boolean>
}

// ----------------------------------------------------------------------------------------------------------- pieces

export interface CutRequest {
  /** Streams the document; a chunk is good until the next one is asked for. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Last page that is wanted; null for all. Nothing after it is cut, however large its pages are. */
  readonly upToPage: number | null
}

/** Consecutive pages of a PDF as a PDF of their own, no larger than the limit. */
export interface Piece {
  /** Both counted from 1 in the whole document, and included. */
  readonly firstPage: number
  readonly lastPage: number
  readonly contentHash: ContentHash
  readonly bytes: number
  /** Starts at the first byte at each call. A chunk is good until the next one is asked for. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** The pieces of a document, held open: they are gone once it is disposed of. */
export interface CutDocument extends AsyncDisposable {
  readonly kind: 'cut'
  /** Of the whole document, wanted or not. */
  readonly totalPages: number
  /** From page 1 on, in order and without a gap; never empty. */
  readonly pieces: readonly Piece[]
}

/** Cuts a PDF that is too large for the service by its pages. */
export interface PieceCutter {
  /** Largest document that needs no cut, and largest piece. */
  readonly limitBytes: number
  /**
   * Same bytes, same pieces, byte for byte: a receipt that was bought for a piece is found again. All pieces are there
   * before the first one is handed out. A `Failure` is about this document only (encrypted, damaged, a single page over
   * the limit). May wait for other cut documents to be disposed of. Throws what `signal` or `read` throws.
   */
  cut(request: CutRequest, signal: AbortSignal): Promise<CutDocument | Failure>
}

// ----------------------------------------------------------------------------------------------------------- parser

/** With an `address` the service fetches the document by itself, and nothing of it is sent. */
export interface ParseRequest extends Pick<OpenedDocument, 'bytes' | 'address'> {
  readonly contentHash: ContentHash
  readonly extension: Extension
  /** Pages of a PDF, where they were counted: more pages are given more time. */
  readonly pages?: number | null
  /** Streams the document; may be called again for another try. A chunk is good until the next one is asked for. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  readonly options: ParseOptions
  /** What the bytes of the answer count for; unlimited where it is not given. */
  readonly hold?: AnswerHold
  readonly traceparent?: string // W3C header, where the document is traced.
  readonly maySend?: () => boolean // Fence, asked when the first byte, or the last of a stream, is about to leave.
}

export interface Parser {
  /** Base address of the service, or `engine`; goes into the record. */
  readonly service: string
  /**
   * Makes sure that requests can be sent: the embedded engine is started at the first call. Resolves with null, or with
   * the reason why it cannot be used now. Throws only what `signal` throws.
   */
  ready(signal: AbortSignal): Promise<string | null>
  /**
   * Sends one request and reads its answer; never retries by itself. Every answer, a broken line and a time-out
   * included, comes back as a verdict. Throws only what `signal` or `read` throws, and `RequestWithdrawn`.
   */
  parse(request: ParseRequest, signal: AbortSignal): Promise<Verdict>
}

// ------------------------------------------------------------------------------------------------------------- gate

export type Admission =
  /** The request may be sent now. Every permit must be released by `leave`, once. */
  | { readonly kind: 'admitted'; readonly permit: Permit }
  /** Not now: give the job back and come again, no attempt used. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  | {
      readonly kind: 'halted'
      readonly cause: HaltCause
      readonly message: string
      /** When asking again may let a probe through; null when only a change by hand helps (the budget). */
      readonly retryInMs: number | null
    }

export interface Permit {
  readonly id: string
  readonly key: SourceKey
  /** Milliseconds on the gate's own clock (Redis TIME). */
  readonly enteredAt: number
  /** Requests that were in flight when this one entered, itself not counted. */
  readonly ahead: number
  /** Its number among all requests of the gate in the order of sending, and how many had been answered by then. */
  readonly seq: number
  readonly done: number
  readonly bound: boolean // The limit of requests in flight was what held requests back.
}

/** How a request that had a permit ended. `abandoned`: cut off by us, nothing is known. `unsent`: not needed after all. */
export type Report =
  | {
      readonly verdict: Verdict
      readonly durationMs: number
      /** What it cost: reported or priced; 0 when nothing was charged. Null: unknown, what was reserved counts as spent. */
      readonly credits: number | null
    }
  | { readonly verdict: 'abandoned' }
  | { readonly verdict: 'unsent' }

export interface Departure {
  /** False while the service is down: then its failures are not the document's, and use no attempt (Law 5). */
  readonly countsAsAttempt: boolean
  /** When this document may be sent again at the earliest; null when the gate has no opinion. */
  readonly retryInMs: number | null
}

/** The one place that decides when a request may be sent, shared by all processes through Redis. */
export interface Gate {
  /**
   * Waits for a place: about a minute for a limit, longer where its turn is near, 5 s for anything else. `credits` is what
   * the request is expected to cost; `first`: before all that wait in this process; `until`: when it aborts, the document
   * waits no longer and goes back to the queue.
   */
  enter(
    ticket: {
      readonly key: SourceKey
      readonly credits: number
      readonly first?: boolean
      readonly until?: AbortSignal
    },
    signal: AbortSignal,
  ): Promise<Admission>
  leave(permit: Permit, report: Report): Promise<Departure>
  /** A refused document waits here for `ms`, to be next. False where it must go back to the queue instead. */
  hold(ms: number, signal: AbortSignal): Promise<boolean>
}

// ------------------------------------------------------------------------------------------------------------ store

export type { OutputStore } from './document/output-store.ts'

// ----------------------------------------------------------------------------------------------------------- ledger

import type { LedgerChange, LedgerEntry, Settled } from './document/ledger-entry.ts'
export type { LedgerChange, LedgerEntry, Settled }

/** The index of records: source key → version, recipe, outcome. Rebuilt from the store when Redis is lost (Law 4). */
export interface Ledger {
  /** In the order of `keys`; null for a key never seen. */
  read(keys: readonly SourceKey[]): Promise<readonly (LedgerEntry | null)[]>
  /** Atomic for the batch: entries and counts change together (Law 1). Repeatable. */
  write(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<void>
  /**
   * As `write`, by compare-and-set: an entry that is not `known` any more stays as it is. Answers for each, in their
   * order, whether it was written.
   */
  advance(changes: readonly LedgerChange[]): Promise<readonly boolean[]>
  /** As `write`; an entry that is there stays, unless it is pending for what came out. Answers how many were written. */
  adopt(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<number>
  /** As `write` for one key, but only while the entry still is for `entry.version`. */
  settle(key: SourceKey, entry: LedgerEntry): Promise<Settled>
  /** Documents that ever came from pending to an end, by any process; begins anew when Redis is lost. */
  endedTotal(): Promise<number>
  forget(keys: readonly SourceKey[]): Promise<void>
  counts(): Promise<Counts>
  /** Entries with `isLocal`. */
  localCount(): Promise<number>
  /** Streams all entries, in no order. An entry written meanwhile may be missed or seen twice. */
  entries(signal: AbortSignal): AsyncIterable<readonly [SourceKey, LedgerEntry]>
}

/** A worker's hold on one document, so that no two workers have it at a time (a stalled job may come twice). */
export interface Claim {
  /** False once the hold ran out and another worker may have the document: then nothing may be committed. */
  stillHeld(): Promise<boolean>
  release(): Promise<void> // May be called again.
}

export interface Claims {
  /** Null while another live worker has the document. The hold is renewed by itself until released. */
  claim(key: SourceKey): Promise<Claim | null>
}

/**
 * What is about to be bought. An intent is written before a request and cleared when its receipt is safe; one left by
 * a process that died, or that let go of its request, is `ambiguous`: whether it was charged is unknown (Law 2).
 */
export interface Intents {
  /** `busy`: a live process is buying this very receipt, for a copy. `held`: a request for it is ambiguous, and stays. */
  begin(id: ReceiptId, key: SourceKey): Promise<'begun' | 'busy' | 'held'>
  /** What is held of a receipt, or of a document and its pieces, may be sent again; it stays counted. Repeatable. */
  release(id: ReceiptId, key: SourceKey): Promise<void>
  clear(id: ReceiptId): Promise<void>
  /** Sends no command. False where this process stalled since `begin`, so that another may have sent the request. */
  stands(id: ReceiptId): boolean
  /** The receipt was found: what an earlier try for it left, for this document or by a dead process, is in doubt no more. */
  settle(id: ReceiptId, key: SourceKey): Promise<void>
}

// ------------------------------------------------------------------------------------------------------------ queue

/** What waits in the queue for one document. `schema` guards workers of another release. */
export interface DocumentJob {
  readonly schema: 1
  readonly key: SourceKey
  readonly version: Version
  readonly recipeHash: RecipeHash
  readonly bytes: number
  /** When it was first enqueued, epoch milliseconds on the clock that all processes share: the deadline counts from here. */
  readonly queuedAt: number
}

export interface JobQueue {
  /** Adds a batch. A job for the same document, version and recipe that is there is left as it is; answers the others. */
  add(jobs: readonly DocumentJob[]): Promise<readonly DocumentJob[]>
  /** Jobs not yet finished: waiting, delayed and active. */
  backlog(): Promise<number>
}

/** What should become of a job; `consume` is the only place that spells it in BullMQ. */
export type JobVerdict =
  | { readonly do: 'finish' }
  /** Come back later; `counted` uses one of the document's attempts. */
  | { readonly do: 'postpone'; readonly afterMs: number; readonly counted: boolean; readonly reason: string }

export interface Delivery {
  readonly job: DocumentJob
  /** Which counted attempt this is, from 1. */
  readonly attempt: number
}
