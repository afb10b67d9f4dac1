import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#src/ports/clock.ts'

/** The clocks of this machine, with the one that all processes share. */
export const systemClock = (shared: () => number): Clock => ({
  wall: Date.now,
  monotonic: () => performance.now(),
  shared,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
})
