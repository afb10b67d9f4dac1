import { processUsage, residentBytes } from './process-usage.ts'
import { ProcessingClock } from './processing-clock.ts'

const CHECK_EVERY_MS = 50
/**
 * Checks of memory per check of CPU time. Memory can grow within a moment and needs one file. CPU time needs one file
 * per thread.
 */
const CHECKS_PER_ACCOUNT = 5

type KilledFor = 'memory' | 'time'

interface Watched {
  readonly budgetMs: number
  readonly clock: ProcessingClock
  killedFor: KilledFor | null
  peakBytes: number
}

/** Observation of a process during its watch. */
export interface Observation {
  /** Reason for which this watchdog killed it, or null. */
  readonly killedFor: KilledFor | null
  readonly peakBytes: number
  /** True if the budget was used up at the end of the watch, killed or not. */
  readonly isOver: boolean
}

function isOverBudget(pid: number, { clock, budgetMs }: Watched): boolean {
  return clock.isOver(budgetMs, performance.now(), processUsage(pid))
}

/**
 * Kills a process whose resident memory exceeds the limit, or whose conversion used up its budget. V8's heap limit does
 * not cover memory of native parsers. Without /proc, time is wall-clock time, and only V8's limit applies.
 */
export class ConversionWatchdog implements Disposable {
  readonly #limitBytes: number
  readonly #watched = new Map<number, Watched>()
  #timer: NodeJS.Timeout | null = null
  #checks = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  watch(pid: number, budgetMs: number): void {
    const clock = new ProcessingClock(performance.now(), processUsage(pid))
    this.#watched.set(pid, { budgetMs, clock, killedFor: null, peakBytes: 0 })
    this.#timer ??= setInterval(() => this.#check(), CHECK_EVERY_MS).unref()
  }

  /** Ends the watch. */
  release(pid: number): Observation {
    const watched = this.#watched.get(pid)
    // Most documents end long before their budget, and need no account.
    const isOver = watched?.clock.mayBeOver(watched.budgetMs, performance.now()) === true && isOverBudget(pid, watched)
    const observation = { killedFor: watched?.killedFor ?? null, peakBytes: watched?.peakBytes ?? 0, isOver }
    this.#watched.delete(pid)
    if (this.#watched.size === 0) this[Symbol.dispose]()
    return observation
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #check(): void {
    this.#checks += 1
    const readsAccounts = this.#checks % CHECKS_PER_ACCOUNT === 0
    for (const [pid, watched] of this.#watched) {
      if (watched.killedFor !== null) continue
      const bytes = residentBytes(pid)
      watched.peakBytes = Math.max(watched.peakBytes, bytes)
      if (bytes > this.#limitBytes) this.#kill(pid, watched, 'memory')
      else if (readsAccounts && isOverBudget(pid, watched)) this.#kill(pid, watched, 'time')
    }
  }

  #kill(pid: number, watched: Watched, reason: KilledFor): void {
    watched.killedFor = reason
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Race: the process has just exited.
    }
  }
}
