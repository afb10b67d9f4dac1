import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSluice } from '../../support/sluice.ts'
import type { FaultContext } from './fault-class.ts'

const SHARE = 0.4

/** Tells a process to stop within `withinMs`, or not; in the midst of a fault. True when it did. */
export async function perhapsStop(context: FaultContext, withinMs: number, victim?: RunningSluice): Promise<boolean> {
  const { processes, random, note } = context
  if (random.next() >= SHARE) return false
  await sleep(random.below(withinMs))
  const running = victim ?? processes.living[0]
  if (running === undefined || !processes.living.includes(running)) return false
  note(`SIGTERM to ${running.child.pid} meanwhile`)
  await context.terminate(running)
  return true
}
