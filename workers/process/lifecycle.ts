import { ignoresHangUp } from '#config/environment.ts'

/**
 * Graceful shutdown of a process, state by state.
 *
 * - `running`: no signal came.
 * - `draining`, after the first signal: intake stops, and requests in flight may finish within the grace period.
 *   `FORCED_EXIT_SLACK_MS` later the process exits, even if a store, a download or Redis still hangs. Further SIGTERM and
 *   SIGHUP change nothing: `timeout` and supervisors send them to a process and to its group.
 * - `cut`, after a SIGINT that comes `DUPLICATE_SIGNAL_MS` later: everything in flight is released to the queue. The process
 *   exits `ABORT_GRACE_MS` later at the latest.
 * - A further SIGINT ends the process with the system's default action.
 */
export interface Stopping extends Disposable {
  /** Aborts at the first signal: take no new work. */
  readonly soft: AbortSignal
  /** Aborts at the second Ctrl-C: release everything. */
  readonly hard: AbortSignal
  /** The first signal; null before it. */
  firstSignal(): StopSignal | null
  /** Stops like a first signal, for an internal reason (a halt). */
  stop(): void
  /** Sets the grace period of a first signal, in ms, because work exists from now on; without a call there is none. */
  setGracePeriod(graceMs: number): void
}

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type StopSignal = (typeof STOP_SIGNALS)[number]

/** A Ctrl-C within this time after the first signal is a duplicate: the key bounced, or a shell forwarded it. */
const DUPLICATE_SIGNAL_MS = 1_000

export const isAnotherCtrlC = (signal: NodeJS.Signals, firstAt: number): boolean =>
  signal === 'SIGINT' && performance.now() - firstAt >= DUPLICATE_SIGNAL_MS

/** Time for release, closing and the summary, beyond the grace period. */
const FORCED_EXIT_SLACK_MS = 6_000

const ABORT_GRACE_MS = 1_600

/** Exit code in shells: ended by SIGINT. */
const EXIT_INTERRUPTED = 130

export interface StopNotices {
  readonly onFirst: (signal: StopSignal) => void
  readonly onSecond: () => void
  /** Called when the process exits although work still hangs. */
  readonly onForcedExit: () => void
}

export function listenForStop({ onFirst, onSecond, onForcedExit }: StopNotices): Stopping {
  const soft = new AbortController()
  const hard = new AbortController()
  const signals = STOP_SIGNALS.filter((signal) => signal !== 'SIGHUP' || !ignoresHangUp())
  let graceMs = 0
  let first: { readonly signal: StopSignal; readonly at: number } | null = null
  // Stays after disposal: the closing itself may hang.
  const exitAfter = (ms: number): void => {
    setTimeout(() => {
      onForcedExit()
      process.exit(EXIT_INTERRUPTED)
    }, ms).unref()
  }
  const onSignal = (signal: StopSignal): void => {
    if (first === null) {
      first = { signal, at: performance.now() }
      exitAfter(graceMs + FORCED_EXIT_SLACK_MS)
      soft.abort(new Error(`stopped by ${signal}`))
      onFirst(signal)
    } else if (!isAnotherCtrlC(signal, first.at)) {
      return
    } else if (!hard.signal.aborted) {
      exitAfter(ABORT_GRACE_MS)
      hard.abort(new Error('stopped at once by a second Ctrl-C'))
      onSecond()
    } else {
      process.off(signal, onSignal)
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
  process.stderr.on('error', ignoreUnwritable)
  process.stdout.on('error', (error) => {
    ignoreUnwritable(error)
    // Part of the requested work is missing.
    process.once('exit', (code) => (process.exitCode = code === 0 ? 1 : code))
  })
  return {
    soft: soft.signal,
    hard: hard.signal,
    firstSignal: () => first?.signal ?? null,
    stop: () => soft.abort(new Error('stopped')),
    setGracePeriod: (ms) => {
      graceMs = Math.max(graceMs, ms)
    },
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}

/** A closed terminal, or a file on a full disk, accepts no more output; the process still finishes its work. */
function ignoreUnwritable(error: NodeJS.ErrnoException): void {
  if (!['EIO', 'ENOSPC', 'EDQUOT'].includes(error.code ?? '')) throw error
}

/** True if an error only reports that a wait was cut off because the process is stopping. */
export function isStop(error: unknown, { soft }: Pick<Stopping, 'soft'>): boolean {
  return soft.aborted && (error === soft.reason || (error instanceof Error && error.name === 'AbortError'))
}
