import type { RecipeHash, SourceKey, Version } from '#src/document/ids.ts'

/** What waits in the queue for one document. `schema` guards workers of another release. */
export interface DocumentJob {
  readonly schema: 1
  readonly key: SourceKey
  readonly version: Version
  readonly recipeHash: RecipeHash
  readonly bytes: number
  /** When it was first enqueued, epoch milliseconds on the clock that all processes share: the deadline counts from here. */
  readonly queuedAt: number
  /** Of a document that the service refused: whether that is its own is not known yet. */
  readonly suspicion?: Suspicion
}

/** What a suspect met (`ingest/process/refusals.ts`). */
export interface Suspicion {
  /** Names the refusal. */
  readonly name: string
  /** Identifies the body of a success that could not be used. */
  readonly body?: string
  /** Other documents got through in a run in which it was refused. */
  readonly gotThrough: boolean
}

export interface JobQueue {
  /** Adds a batch. A job for the same document, version and recipe that is there is left as it is. */
  add(jobs: readonly DocumentJob[]): Promise<void>
  /** Jobs not yet finished: waiting, delayed and active. */
  backlog(): Promise<number>
}

/** What should become of a job; only `consume` translates it into BullMQ's terms. */
export type JobVerdict =
  | { readonly kind: 'finish' }
  /** Come back later; `counted` uses one of the document's attempts. */
  | {
      readonly kind: 'postpone'
      readonly afterMs: number
      readonly counted: boolean
      readonly reason: string
      /** Kept with the job. */
      readonly suspicion?: Suspicion
    }

export interface Delivery {
  readonly job: DocumentJob
  /** Which counted attempt this is, from 1. */
  readonly attempt: number
}

/** Why a document is not handed out any more. */
export type GiveUpReason =
  /** `times` workers died, or froze, while they had it. */
  | { readonly kind: 'deadly'; readonly times: number }
  /** `handle` threw at each of its attempts; this is the last error. */
  | { readonly kind: 'threw'; readonly error: unknown }
