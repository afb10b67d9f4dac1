import { ignoresHangUp } from '#config/environment.ts'

/**
 * Graceful shutdown of a process, state by state.
 *
 * - `running`: no signal came.
 * - `draining`, after the first signal: intake stops, and requests in flight may finish within the grace period.
 *   `WALL_SLACK_MS` later the process exits, even if a store, a download or Redis still hangs. Further SIGTERM and
 *   SIGHUP change nothing: `timeout` and supervisors send them to a process and to its group.
 * - `cut`, after a SIGINT that comes `CUT_AFTER_MS` later: everything in flight is released to the queue. The process
 *   exits `CUT_MS` later at the latest.
 * - A further SIGINT ends the process with the system's default action.
 */
export interface Stopping extends Disposable {
  /** Aborts at the first signal: take no new work. */
  readonly soft: AbortSignal
  /** Aborts at the second Ctrl-C: release everything. */
  readonly hard: AbortSignal
  /** The first signal; null before it. */
  by(): StopSignal | null
  /** Stops like a first signal, for an internal reason (a halt). */
  stop(): void
  /** Sets the grace period of a first signal, in ms, because work exists from now on; without a call there is none. */
  allow(graceMs: number): void
}

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type StopSignal = (typeof STOP_SIGNALS)[number]

/** A Ctrl-C within this time after the first signal is a duplicate: the key bounced, or a shell forwarded it. */
const CUT_AFTER_MS = 1_000

export const isAnotherCtrlC = (signal: NodeJS.Signals, firstAt: number): boolean =>
  signal === 'SIGINT' && performance.now() - firstAt >= CUT_AFTER_MS

/** Time for release, closing and the summary, beyond the grace period. */
const WALL_SLACK_MS = 6_000

const CUT_MS = 1_600

/** Exit code in shells: ended by SIGINT. */
const EXIT_INTERRUPTED = 130

export interface StopNotices {
  readonly onFirst: (signal: StopSignal) => void
  readonly onSecond: () => void
  /** Called when the process exits although work still hangs. */
  readonly onWall: () => void
}

export function listenForStop({ onFirst, onSecond, onWall }: StopNotices): Stopping {
  const soft = new AbortController()
  const hard = new AbortController()
  const signals = STOP_SIGNALS.filter((signal) => signal !== 'SIGHUP' || !ignoresHangUp())
  let graceMs = 0
  let first: { readonly signal: StopSignal; readonly at: number } | null = null
  // Stays after disposal: the closing itself may hang.
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
    // Part of the requested work is missing.
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

/** A closed terminal, or a file on a full disk, accepts no more output; the process still finishes its work. */
function bear(error: NodeJS.ErrnoException): void {
  if (!['EIO', 'ENOSPC', 'EDQUOT'].includes(error.code ?? '')) throw error
}

/** True if an error only reports that a wait was cut off because the process is stopping. */
export function isStop(error: unknown, { soft }: Pick<Stopping, 'soft'>): boolean {
  return soft.aborted && (error === soft.reason || (error instanceof Error && error.name === 'AbortError'))
}
