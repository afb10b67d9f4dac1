/** How often a supervised program may end without having done anything useful before the batch is halted. */
const USELESS_LIVES = 8
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000

export interface RestartDecision {
  /** Lives in a row that ended without one useful answer. */
  readonly uselessLives: number
  readonly delayMs: number
  /** It will not stay up by itself: a person must act. It is restarted all the same. */
  readonly cannotStayUp: boolean
}

/** Exponential backoff over lives that were of no use; one answer in a life begins the count anew. */
export function restartAfter(uselessLives: number, wasUseful: boolean): RestartDecision {
  const now = wasUseful ? 1 : uselessLives + 1
  return {
    uselessLives: now,
    delayMs: Math.min(FIRST_DELAY_MS * 2 ** (now - 1), LONGEST_DELAY_MS),
    cannotStayUp: now >= USELESS_LIVES,
  }
}
