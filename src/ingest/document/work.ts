import type { AnswerHold } from '#src/kit/answer-memory.ts'
import type { Extension } from '@sluice/contract'
import type { Version } from '#src/document/ids.ts'
import type { Claim } from '#src/ports/ledger.ts'
import type { PermitRequest } from '#src/ports/gate.ts'
import type { Delivery, DocumentJob } from '#src/ports/queue.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { DocumentDeps, Tier } from './deps.ts'
import type { FoundReceipt } from './find-receipt.ts'
import type { ReadDocument } from './read-once.ts'
import type { Reading } from './read-window.ts'

/** One document in progress after its read: its delivery, and the known facts. */
export interface ReadWork extends Delivery {
  readonly claim: Claim
  readonly reading: Reading
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Monotonic clock at the same moment, the start of durations. */
  readonly begunMs: number
  /** Version of the bytes read: the job may have been enqueued for an earlier one. */
  readonly version: Version
  readonly read: ReadDocument
  readonly recipe: Recipe
  /** Access to its parser. */
  readonly tier: Tier
  /** Memory budget for the bytes of its answers; empty while it waits at the gate. */
  readonly hold: AnswerHold
}

/** A document for the parser. */
export interface Work extends ReadWork {
  readonly extension: Extension
  /** Address from which the service fetches the document; null if the request sends its bytes. */
  readonly address: string | null
  /** Number of its pages, if counted before. */
  readonly pages?: number | null
  /** A limit refused it, so it has priority over documents that only wait. */
  readonly again?: Pick<PermitRequest, 'againInMs'>
  /** Searches, right before the request, for an answer that replaces it; default: the receipt of these bytes. */
  readonly findAnswer?: (signal: AbortSignal) => Promise<FoundReceipt | null>
}

/** True if a document exceeded its deadline in the queue, by the clock of its job's time. */
export function isLate({ queuedAt }: DocumentJob, { run, policy }: Pick<DocumentDeps, 'run' | 'policy'>): boolean {
  return run.clock.shared() - queuedAt > policy.deadlineMs
}
