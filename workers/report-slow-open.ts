import { whileSlow } from '#src/document/while-slow.ts'

export interface WaitOptions {
  /** What it waits for at that moment. */
  readonly what: () => 'the store' | 'the source' | 'Redis'
  /** Called with one line when it has taken that long, and each time when it has taken twice as long as at the last. */
  readonly say: (line: string) => void
  readonly afterMs: number
}

/**
 * Says on the terminal what a start waits for. Log, metrics and readiness do not know of the wait: they observe a pipeline
 * once its store and its source are open, and the log may lie in that very store.
 */
export function reportSlowOpen<T>(work: Promise<T>, { what, say, afterMs }: WaitOptions): Promise<T> {
  let due = 1
  return whileSlow(work, afterMs, (times) => {
    if (times < due) return
    due = 2 * times
    say(`waiting: ${what()} does not answer for ${(times * afterMs) / 1000} s; nothing was bought`)
  })
}
