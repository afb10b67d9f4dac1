import type { RecipeHash, SourceKey, Version } from '#src/document/ids.ts'

/** Job of one document in the queue. `schema` guards against workers of another release. */
export interface DocumentJob {
  readonly schema: 1
  readonly key: SourceKey
  readonly version: Version
  readonly recipeHash: RecipeHash
  readonly bytes: number
  /**
   * Time of the first enqueue, in epoch milliseconds of the clock that all processes share. The deadline counts from
   * here.
   */
  readonly queuedAt: number
  /** Present if the service refused the document and the refusal may concern all documents. */
  readonly suspicion?: Suspicion
}

/** Refusal that a suspect met (`ingest/document/refusals.ts`). */
export interface Suspicion {
  /** Identifies the refusal. */
  readonly name: string
  /** Identifies the body of an unusable success. */
  readonly body?: string
  /** True if other documents succeeded in a run that refused this one. */
  readonly gotThrough: boolean
}

export interface JobQueue {
  /** Adds a batch. An existing job for the same document, version and recipe stays unchanged. */
  add(jobs: readonly DocumentJob[]): Promise<void>
  /** Number of unfinished jobs: waiting, delayed and active. */
  backlog(): Promise<number>
}

/** Next state of a job; only `consume` translates it into BullMQ's terms. */
export type JobVerdict =
  | { readonly kind: 'finish' }
  /** Retry later; `counted` uses one of the document's attempts. */
  | {
      readonly kind: 'postpone'
      readonly afterMs: number
      readonly counted: boolean
      readonly reason: string
      /** Stored with the job. */
      readonly suspicion?: Suspicion
    }

export interface Delivery {
  readonly job: DocumentJob
  /** Number of this counted attempt, from 1. */
  readonly attempt: number
}

/** Reason why the queue no longer delivers a document. */
export type GiveUpReason =
  /** `times` workers crashed or froze while they held it. */
  | { readonly kind: 'deadly'; readonly times: number }
  /** `handle` threw at each attempt; this is the last error. */
  | { readonly kind: 'threw'; readonly error: unknown }
