/** Longest reason that is kept with a job in Redis. */
const REASON_LIMIT_CHARACTERS = 200

/**
 * Thrown out of a job that shall come again and has used an attempt: to BullMQ a failure, whose delay
 * `postponementDelayMs` takes from the error itself.
 */
export class Postponement extends Error {
  override name = 'Postponement' as const
  readonly afterMs: number

  constructor(afterMs: number, reason: string) {
    super(reason.slice(0, REASON_LIMIT_CHARACTERS))
    this.afterMs = afterMs
  }
}

/** Delay for any other error: it can only be a fault of BullMQ or Redis while the job was settled. */
const UNKNOWN_ERROR_DELAY_MS = 1_000

/** BullMQ's `backoffStrategy`: milliseconds until the job is tried again. Never gives a job up. */
export function postponementDelayMs(_attempt: number, _type?: string, error?: Error): number {
  return error instanceof Postponement ? Math.max(0, Math.round(error.afterMs)) : UNKNOWN_ERROR_DELAY_MS
}
