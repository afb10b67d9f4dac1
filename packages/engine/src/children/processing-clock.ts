import type { ProcessUsage } from './process-usage.ts'

/** Wall-clock time after which a conversion ends however little it was allowed to run: this many times its budget. */
export const STARVATION_FACTOR = 20

/**
 * Counts the time that a conversion uses of its budget: while the process runs or sleeps the clock advances, while it
 * waits for a processor that others hold it stands still. So a busy machine ends no healthy conversion, and one that
 * hangs, in a loop or asleep, ends after its budget. Without an account of the process it is a wall clock.
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

  /** False where the budget would not be spent if all the time since the clock advanced last counted. */
  mayBeOver(budgetMs: number, nowMs: number): boolean {
    return this.#usedMs + nowMs - this.#atMs >= budgetMs
  }

  /** Advances to `nowMs` and returns whether the budget is spent. */
  isOver(budgetMs: number, nowMs: number, usage: ProcessUsage | null): boolean {
    const elapsedMs = nowMs - this.#atMs
    this.#usedMs += usage === null || this.#usage === null ? elapsedMs : chargedMs(elapsedMs, this.#usage, usage)
    this.#atMs = nowMs
    this.#usage = usage
    return this.#usedMs >= budgetMs || nowMs - this.#startMs >= budgetMs * STARVATION_FACTOR
  }
}

/** Never more than the elapsed time, so that several threads do not spend the budget several times as fast. */
function chargedMs(elapsedMs: number, before: ProcessUsage, after: ProcessUsage): number {
  const ranMs = after.ranMs - before.ranMs
  // The wait of a thread that ended is gone from the sum.
  const waitedMs = Math.max(0, after.waitedMs - before.waitedMs)
  return Math.min(elapsedMs, Math.max(0, ranMs, elapsedMs - waitedMs))
}
