import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass } from './fault-class.ts'

const SETTABLE = join(import.meta.dirname, '../../surroundings/preloads/settable-clock.ts')

/** Until the process has loaded what takes the signal. */
const LOADED_MS = 1_500

/** A further process whose wall clock is set by an hour, there and back. */
export const clockJump: FaultClass = {
  async strike({ crew, random }) {
    const process = crew.start(random.pick(['run', 'work'] as const), ['--import', SETTABLE])
    for (let times = 1 + random.below(2); times > 0; times--) {
      await sleep(LOADED_MS)
      if (crew.living.includes(process)) process.child.kill('SIGUSR2')
    }
  },
}
