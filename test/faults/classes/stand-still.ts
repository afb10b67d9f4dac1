import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass } from './fault-class.ts'

/** 5 to 60 s, shortened as leases are: by ten. */
const SHORTEST_MS = 500
const LONGEST_MS = 6_000

/** SIGSTOP and SIGCONT to one process or to all; a laptop that sleeps, a machine that swaps. */
export const standStill: FaultClass = {
  async strike({ crew, random, note, struck }) {
    const { living } = crew
    const victims = random.next() < 0.7 ? living.slice(0, 1) : living
    const lastsMs = SHORTEST_MS + Math.floor((LONGEST_MS - SHORTEST_MS) * random.next() ** 2)
    note(`${victims.length} of ${living.length} processes stand still for ${lastsMs} ms`)
    const over = await struck(victims)
    for (const { child } of victims) child.kill('SIGSTOP')
    await sleep(lastsMs)
    for (const { child } of victims) child.kill('SIGCONT')
    over()
  },
}
