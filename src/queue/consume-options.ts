import type { SourceKey } from '#src/document/ids.ts'
import type { Delivery, GiveUpReason, JobVerdict } from '#src/ports/queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'

export interface ConsumeOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
  /**
   * Maximum number of concurrent documents in this process: fewer while nearly all are postponed
   * (`AdaptiveConcurrency`).
   */
  readonly concurrency: number
  /** Processes a document. `signal` aborts when the process stops and its grace time is over. */
  handle(delivery: Delivery, signal: AbortSignal): Promise<JobVerdict>
  /** Ends a document failed instead of `handle`; the queue removes the job only after it returned. */
  giveUp(delivery: Delivery, reason: GiveUpReason, signal: AbortSignal): Promise<void>
  /** Gets all other errors; `key` is null if the error concerns no document. */
  onError(error: unknown, key: SourceKey | null): void
  readonly timing?: Partial<ConsumeTiming>
}

/** The documents of a killed worker return after at most `lockMs` + 2 × `stalledCheckMs`. */
export interface ConsumeTiming {
  /**
   * Lock time of a job: without a renewal by its worker for this long it is free for others. The worker renews it at
   * half of it.
   */
  readonly lockMs: number
  readonly stalledCheckMs: number
  /** Number of worker deaths after which the queue gives a document up. */
  readonly deathsAllowed: number
  /** Threshold of a stuck worker: time with free slots and waiting jobs. */
  readonly stuckAfterMs: number
}
