import { ignoresHangUp } from '#config/environment.ts'

/**
 * Graceful shutdown of a process, state by state.
 *
 * - `running`: no signal came.
 * - `draining`, after the first signal: intake stops, and requests in flight may finish for the grace period.
 *   `WALL_SLACK_MS` after it the process exits, whatever still hangs: a store, a download, Redis. Further SIGTERM and
 *   SIGHUP change nothing: `timeout` and supervisors send them to a process and to its group.
 * - `cut`, after a SIGINT that comes `CUT_AFTER_MS` later: everything in flight is handed back. The process exits
 *   `CUT_MS` later at the latest.
 * - A further SIGINT ends the process as the system does it.
 */
export interface Stopping extends Disposable {
  /** Aborts at the first signal: take nothing new. */
  readonly soft: AbortSignal
  /** Aborts at the second Ctrl-C: release everything. */
  readonly hard: AbortSignal
  /** The first signal; null where none came. */
  by(): StopSignal | null
  /** Stops as a first signal would, for a reason of our own (a halt). */
  stop(): void
  /** From now on there is work that a first signal leaves this many milliseconds for; before, there is none. */
  allow(graceMs: number): void
}

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type StopSignal = (typeof STOP_SIGNALS)[number]

/** A Ctrl-C that comes sooner after the first signal is the same one: of a key that bounces, or of a shell that passes it on. */
const CUT_AFTER_MS = 1_000

export const isAnotherCtrlC = (signal: NodeJS.Signals, firstAt: number): boolean =>
  signal === 'SIGINT' && performance.now() - firstAt >= CUT_AFTER_MS

/** For handing back, closing and the summary, beyond the grace period. */
const WALL_SLACK_MS = 6_000

const CUT_MS = 1_600

/** As shells count it: ended by SIGINT. */
const EXIT_INTERRUPTED = 130

export interface StopNotices {
  readonly onFirst: (signal: StopSignal) => void
  readonly onSecond: () => void
  /** The process exits now although something still hangs. */
  readonly onWall: () => void
}

export function listenForStop({ onFirst, onSecond, onWall }: StopNotices): Stopping {
  const soft = new AbortController()
  const hard = new AbortController()
  const signals = STOP_SIGNALS.filter((signal) => signal !== 'SIGHUP' || !ignoresHangUp())
  let graceMs = 0
  let first: { readonly signal: StopSignal; readonly at: number } | null = null
  // Stays after disposal: what hangs may be the closing itself.
  const exitAfter = (ms: number): void => {
    setTimeout(() => {
      onWall()
      process.exit(EXIT_INTERRUPTED)
    }, ms).unref()
  }
  const heard = (signal: StopSignal): void => {
    if (first === null) {
      first = { signal, at: performance.now() }
      exitAfter(graceMs + WALL_SLACK_MS)
      soft.abort(new Error(`stopped by ${signal}`))
      onFirst(signal)
    } else if (!isAnotherCtrlC(signal, first.at)) {
      return
    } else if (!hard.signal.aborted) {
      exitAfter(CUT_MS)
      hard.abort(new Error('stopped at once by a second Ctrl-C'))
      onSecond()
    } else {
      process.off(signal, heard)
    }
  }
  for (const signal of signals) process.on(signal, heard)
  process.stderr.on('error', bear)
  process.stdout.on('error', (error) => {
    bear(error)
    // Of what was asked for, a part is missing.
    process.once('exit', (code) => (process.exitCode = code === 0 ? 1 : code))
  })
  return {
    soft: soft.signal,
    hard: hard.signal,
    by: () => first?.signal ?? null,
    stop: () => soft.abort(new Error('stopped')),
    allow: (ms) => {
      graceMs = Math.max(graceMs, ms)
    },
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, heard)
    },
  }
}

/** A terminal that was closed, or a file on a full disk, takes nothing more; the process still finishes what it does. */
function bear(error: NodeJS.ErrnoException): void {
  if (!['EIO', 'ENOSPC', 'EDQUOT'].includes(error.code ?? '')) throw error
}

/** Whether an error only says that what was waited for was cut off, because the process is stopping. */
export function isStop(error: unknown, { soft }: Pick<Stopping, 'soft'>): boolean {
  return soft.aborted && (error === soft.reason || (error instanceof Error && error.name === 'AbortError'))
}
