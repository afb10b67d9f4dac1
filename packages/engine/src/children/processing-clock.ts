import type { ProcessUsage } from './process-usage.ts'

/** Wall-clock timeout of a conversion as a multiple of its budget, for a process that gets little CPU time. */
export const STARVATION_FACTOR = 20

/**
 * Counts the time that a conversion uses of its budget. The clock advances while the process runs or sleeps. It stops
 * while the process waits for a busy processor. A busy machine thus ends no healthy conversion, and a hung one, in a
 * loop or asleep, ends after its budget. Without an account of the process it is a wall clock.
 */
export class ProcessingClock {
  #usedMs = 0
  #atMs: number
  #usage: ProcessUsage | null
  readonly #startMs: number

  constructor(nowMs: number, usage: ProcessUsage | null) {
    this.#startMs = nowMs
    this.#atMs = nowMs
    this.#usage = usage
  }

  /** False if the budget would remain even after counting all time since the last advance. */
  mayBeOver(budgetMs: number, nowMs: number): boolean {
    return this.#usedMs + nowMs - this.#atMs >= budgetMs
  }

  /** Advances to `nowMs`. True if the budget is used up. */
  isOver(budgetMs: number, nowMs: number, usage: ProcessUsage | null): boolean {
    const elapsedMs = nowMs - this.#atMs
    this.#usedMs += usage === null || this.#usage === null ? elapsedMs : chargedMs(elapsedMs, this.#usage, usage)
    this.#atMs = nowMs
    this.#usage = usage
    return this.#usedMs >= budgetMs || nowMs - this.#startMs >= budgetMs * STARVATION_FACTOR
  }
}

/** Charges at most the elapsed time, so that several threads do not multiply the use. */
function chargedMs(elapsedMs: number, before: ProcessUsage, after: ProcessUsage): number {
  const ranMs = after.ranMs - before.ranMs
  // The sum no longer contains the wait of an ended thread.
  const waitedMs = Math.max(0, after.waitedMs - before.waitedMs)
  return Math.min(elapsedMs, Math.max(0, ranMs, elapsedMs - waitedMs))
}
