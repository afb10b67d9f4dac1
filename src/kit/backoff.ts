/** Counted attempts that a document has before it ends failed (contract, retry rule 4). */
export const MAX_ATTEMPTS = 5

/** Longest wait between two attempts, before jitter (contract, retry rule 4). */
export const BACKOFF_CAP_MS = 30_000

/**
 * Milliseconds to wait after counted attempt `attempt` (from 1): min(2^attempt, 30) s plus random jitter below 1 s.
 * A time that the service gave is never undercut, and gets no jitter: it knows better than we do (retry rules 3, 4).
 */
export function backoffMs(attempt: number, retryAfterMs: number | null, random: () => number): number {
  if (retryAfterMs !== null) return retryAfterMs
  return Math.min(2 ** attempt * 1000, BACKOFF_CAP_MS) + random() * 1000
}
