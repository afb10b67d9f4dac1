/**
 * Graceful shutdown of a process, state by state.
 *
 * - `running`: no signal came.
 * - `draining`, after the first SIGINT or SIGTERM: intake stops, and requests in flight may finish for the grace period.
 *   `WALL_SLACK_MS` after it the process exits, whatever still hangs: a store, a download, Redis.
 * - `cut`, after the second: everything in flight is handed back. The process exits `CUT_MS` later at the latest.
 * - A third signal ends the process as the system does it.
 */
export interface Stopping extends Disposable {
  /** Aborts at the first signal: take nothing new. */
  readonly soft: AbortSignal
  /** Aborts at the second signal: release everything. */
  readonly hard: AbortSignal
  /** Stops as a first signal would, for a reason of our own (a halt). */
  stop(): void
  /** From now on there is work that a first signal leaves this many milliseconds for; before, there is none. */
  allow(graceMs: number): void
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** For handing back, closing and the summary, beyond the grace period. */
const WALL_SLACK_MS = 6_000

const CUT_MS = 1_600

/** As shells count it: ended by SIGINT. */
const EXIT_INTERRUPTED = 130

export interface StopNotices {
  readonly onFirst: () => void
  readonly onSecond: () => void
  /** The process exits now although something still hangs. */
  readonly onWall: () => void
}

export function listenForStop({ onFirst, onSecond, onWall }: StopNotices): Stopping {
  const soft = new AbortController()
  const hard = new AbortController()
  let graceMs = 0
  // Stays after disposal: what hangs may be the closing itself.
  const exitAfter = (ms: number): void => {
    setTimeout(() => {
      onWall()
      process.exit(EXIT_INTERRUPTED)
    }, ms).unref()
  }
  const heard = (): void => {
    if (!soft.signal.aborted) {
      exitAfter(graceMs + WALL_SLACK_MS)
      soft.abort(new Error('stopped by a signal'))
      onFirst()
    } else if (!hard.signal.aborted) {
      exitAfter(CUT_MS)
      hard.abort(new Error('stopped at once by a second signal'))
      onSecond()
    } else {
      for (const signal of SIGNALS) process.off(signal, heard)
    }
  }
  for (const signal of SIGNALS) process.on(signal, heard)
  return {
    soft: soft.signal,
    hard: hard.signal,
    stop: () => soft.abort(new Error('stopped')),
    allow: (ms) => {
      graceMs = Math.max(graceMs, ms)
    },
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, heard)
    },
  }
}

/** Whether an error only says that what was waited for was cut off, because the process is stopping. */
export function isStop(error: unknown, { soft }: Pick<Stopping, 'soft'>): boolean {
  return soft.aborted && (error === soft.reason || (error instanceof Error && error.name === 'AbortError'))
}
