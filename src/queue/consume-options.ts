import type { SourceKey } from '#src/document/ids.ts'
import type { Delivery, GiveUpReason, JobVerdict } from '#src/ports/queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'

export interface ConsumeOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
  /** Documents in work at a time, in this process, at the most: fewer while nearly all come back (`AdaptiveConcurrency`). */
  readonly concurrency: number
  /** Does the work. `signal` aborts when the process stops and the time for finishing is over. */
  handle(delivery: Delivery, signal: AbortSignal): Promise<JobVerdict>
  /** Ends a document failed instead of `handle`; the job is removed only after it returned. */
  giveUp(delivery: Delivery, reason: GiveUpReason, signal: AbortSignal): Promise<void>
  /** Told what went wrong besides; `key` is null when it was no document's. */
  onError(error: unknown, key: SourceKey | null): void
  readonly timing?: Partial<ConsumeTiming>
}

/** Together: the documents of a killed worker are back after at most `lockMs` + 2 × `stalledCheckMs`. */
export interface ConsumeTiming {
  /** A job whose worker did not renew its lock for this long is free for others. Renewed at half of it. */
  readonly lockMs: number
  readonly stalledCheckMs: number
  /** Worker deaths after which a document is given up. */
  readonly deathsAllowed: number
  /** How long a worker with free slots leaves waiting jobs alone before it counts as stuck. */
  readonly stuckAfterMs: number
}
