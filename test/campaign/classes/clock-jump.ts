import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass } from './fault-class.ts'

const SETTABLE = join(import.meta.dirname, '../../outages/preloads/settable-clock.ts')

/** Until the process has loaded what takes the signal. */
const LOADED_MS = 1_500

const HOUR_MS = 3_600_000

/** A further process whose wall clock is right or an hour off, and is set by an hour, there and back. */
export const clockJump: FaultClass = {
  async inject({ processes, random, note, kill }) {
    const aheadMs = random.pick([0, HOUR_MS, -HOUR_MS])
    // Alone, it has the whole queue; beside others, they may have emptied it before it has loaded.
    const alone = random.next() < 0.4
    note(`a process whose clock is ahead by ${aheadMs} ms${alone ? ', alone' : ''}`)
    if (alone) await kill(processes.living)
    const env = { CLOCK_AHEAD_MS: String(aheadMs) }
    const process = processes.start(random.pick(['run', 'work'] as const), ['--import', SETTABLE], { env })
    for (let times = 1 + random.below(2); times > 0; times--) {
      await sleep(LOADED_MS)
      if (processes.living.includes(process)) process.child.kill('SIGUSR2')
    }
  },
}
