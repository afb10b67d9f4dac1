import type { AnswerHold } from '#src/kit/answer-memory.ts'
import type { Extension } from '@sluice/contract'
import type { Version } from '#src/document/ids.ts'
import type { Claim } from '#src/ports/ledger.ts'
import type { Want } from '#src/ports/gate.ts'
import type { Delivery, DocumentJob } from '#src/ports/queue.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { DocumentDeps, Tier } from './deps.ts'
import type { FoundReceipt } from './find-receipt.ts'
import type { ReadDocument } from './read-once.ts'
import type { Reading } from './read-window.ts'

/** One document in progress whose bytes were read: what was delivered, and what is known of it. */
export interface ReadWork extends Delivery {
  readonly claim: Claim
  readonly reading: Reading
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** The monotonic clock at the same moment: what durations are counted from. */
  readonly begunMs: number
  /** Of the bytes that were really read: the job may have been enqueued for an earlier one. */
  readonly version: Version
  readonly read: ReadDocument
  readonly recipe: Recipe
  /** The way to the parser that is chosen for it. */
  readonly tier: Tier
  /** What the bytes of its answers count for; empty while it waits at the gate. */
  readonly hold: AnswerHold
}

/** A document for the parser. */
export interface Work extends ReadWork {
  readonly extension: Extension
  /** Where the service fetches the document by itself; null when its bytes are sent. */
  readonly address: string | null
  /** Its pages, where they were counted before. */
  readonly pages?: number | null
  /** A limit refused it: it goes before what only waits. */
  readonly again?: Pick<Want, 'againInMs'>
  /** Searches, right before the request, for an answer that spares it; default: the receipt of these bytes. */
  readonly findAnswer?: (signal: AbortSignal) => Promise<FoundReceipt | null>
}

/** Whether a document has been in the queue for longer than its deadline, by the clock that its job was dated with. */
export function isLate({ queuedAt }: DocumentJob, { run, policy }: Pick<DocumentDeps, 'run' | 'policy'>): boolean {
  return run.clock.shared() - queuedAt > policy.deadlineMs
}
