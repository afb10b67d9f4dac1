import { processUsage, residentBytes } from './process-usage.ts'
import { ProcessingClock } from './processing-clock.ts'

const CHECK_EVERY_MS = 50
/** The account of time is a file for each thread; memory, which can grow within a moment, is one file. */
const CHECKS_PER_ACCOUNT = 5

type KilledFor = 'memory' | 'time'

interface Watched {
  readonly budgetMs: number
  readonly clock: ProcessingClock
  killedFor: KilledFor | null
  peakBytes: number
}

/** What was seen of a process while it was watched. */
export interface Observation {
  /** Why this watchdog killed it; null when it did not. */
  readonly killedFor: KilledFor | null
  readonly peakBytes: number
  /** The budget was spent when the watch ended, killed or not. */
  readonly isOver: boolean
}

function hasSpent(pid: number, { clock, budgetMs }: Watched): boolean {
  return clock.isOver(budgetMs, performance.now(), processUsage(pid))
}

/**
 * Kills a watched process whose resident memory goes above the limit, or whose conversion has used its time. V8's own
 * heap limit does not see what native parsers take. Where there is no /proc, time is wall-clock time and V8's limit
 * alone holds.
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
    const isOver = watched?.clock.mayBeOver(watched.budgetMs, performance.now()) === true && hasSpent(pid, watched)
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
      else if (readsAccounts && hasSpent(pid, watched)) this.#kill(pid, watched, 'time')
    }
  }

  #kill(pid: number, watched: Watched, reason: KilledFor): void {
    watched.killedFor = reason
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself in this moment.
    }
  }
}
