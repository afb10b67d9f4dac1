import type { StopNotices } from '#workers/lifecycle.ts'

/** What is said of a stop; `next` says how to go on after it. */
export function stopNotices(say: (line: string) => void, next: string): StopNotices {
  return {
    onFirst: (signal) =>
      say(
        signal === 'SIGINT'
          ? 'finishing what is in flight; Ctrl-C again to stop at once'
          : `${signal}: finishing what is in flight; Ctrl-C to stop at once`,
      ),
    onSecond: () => say(`stopping at once: requests in flight are cut off, and may be charged a second time; ${next}`),
    onWall: () => say('stopped without waiting any longer: what was in flight comes again at the next start'),
  }
}
