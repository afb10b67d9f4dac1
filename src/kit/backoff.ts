/** Number of counted attempts before a document ends failed. */
export const MAX_ATTEMPTS = 5

/** Upper bound of the backoff between two attempts, before jitter. */
export const BACKOFF_CAP_MS = 30_000

/**
 * Backoff in milliseconds after counted attempt `attempt` (from 1): min(2^attempt, 30) s plus random jitter below 1 s.
 * A time that the service states is a lower bound without jitter, because the service knows better.
 */
export function backoffMs(attempt: number, retryAfterMs: number | null, random: () => number): number {
  if (retryAfterMs !== null) return retryAfterMs
  return Math.min(2 ** attempt * 1000, BACKOFF_CAP_MS) + random() * 1000
}
