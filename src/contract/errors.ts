/** Statuses that the reference client tries again (contract, retry rule 2). */
export const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
