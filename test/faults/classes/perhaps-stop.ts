import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSluice } from '../../support/sluice.ts'
import type { Scene } from './fault-class.ts'

const SHARE = 0.4

/** Tells a process to stop within `withinMs`, or not; in the midst of a fault. True when it did. */
export async function perhapsStop(scene: Scene, withinMs: number, victim?: RunningSluice): Promise<boolean> {
  const { crew, random, note } = scene
  if (random.next() >= SHARE) return false
  await sleep(random.below(withinMs))
  const running = victim ?? crew.living[0]
  if (running === undefined || !crew.living.includes(running)) return false
  note(`SIGTERM to ${running.child.pid} meanwhile`)
  await scene.terminate(running)
  return true
}
