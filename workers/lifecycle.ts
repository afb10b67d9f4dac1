/**
 * How a process ends when it is told to. The first SIGINT or SIGTERM asks: intake stops and what is under way may
 * finish (`draining`). The second cuts: `hard` aborts, so that everything under way is handed back at once. Signals are
 * only listened to between `listen` and disposal; a third one then ends the process as the system does it.
 */
export interface Stopping extends Disposable {
  /** Aborts at the first signal: take nothing new. */
  readonly soft: AbortSignal
  /** Aborts at the second signal: let go of everything. */
  readonly hard: AbortSignal
  /** Stops as a first signal would, for a reason of our own (a halt). */
  stop(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export function listenForStop(onFirst: () => void, onSecond: () => void): Stopping {
  const soft = new AbortController()
  const hard = new AbortController()
  const heard = (): void => {
    if (!soft.signal.aborted) {
      soft.abort(new Error('stopped by a signal'))
      onFirst()
    } else if (!hard.signal.aborted) {
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
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, heard)
    },
  }
}

/** Whether an error only says that what was waited for was cut off, because the process was told to stop. */
export function isStop(error: unknown, { soft }: Pick<Stopping, 'soft'>): boolean {
  return soft.aborted && (error === soft.reason || (error instanceof Error && error.name === 'AbortError'))
}
