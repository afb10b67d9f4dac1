import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass } from './fault-class.ts'

/** Shorter and longer than a lease. */
const LONGEST_MS = 3_000

/** One process, or all, is cut off from Redis for a while. */
export const partition: FaultClass = {
  async strike({ crew, random, note, struck }) {
    const { living } = crew
    const victims = random.next() < 0.5 ? living.slice(0, 1) : living
    const how = random.pick(['refuses', 'is silent'] as const)
    const lastsMs = 200 + random.below(LONGEST_MS)
    note(`the line of ${victims.length} of ${living.length} processes ${how} for ${lastsMs} ms`)
    const over = await struck(victims)
    const lines = victims.flatMap((victim) => crew.lineOf(victim) ?? [])
    for (const line of lines) line.cut(how)
    await sleep(lastsMs)
    for (const line of lines) line.mend()
    over()
  },
}
