import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass } from './fault-class.ts'
import { perhapsStop } from './perhaps-stop.ts'

const LONGEST_MS = 4_000
const STOPPED_SHARE = 0.4
/** Longer than a stop may take. */
const FOR_GOOD_MS = 60_000

/**
 * Writes to the bucket get no answer for a while, then their connection is cut; reads and listings work. Some processes
 * are stopped meanwhile, while nothing else ends the hanging.
 */
export const s3Hangs: FaultClass = {
  venue: 's3',
  async strike(scene) {
    const { crew, stage, random, note } = scene
    const lastsMs = 500 + random.below(LONGEST_MS)
    const [victim] = crew.living
    if (victim !== undefined && random.next() < STOPPED_SHARE) {
      note(`writes to the bucket hang until ${victim.child.pid} has ended, which is stopped`)
      stage.hang?.(FOR_GOOD_MS)
      await sleep(lastsMs)
      if (crew.living.includes(victim)) await scene.terminate(victim)
      stage.hang?.(0)
      return
    }
    note(`writes to the bucket hang for ${lastsMs} ms`)
    stage.hang?.(lastsMs)
    const stopping = perhapsStop(scene, lastsMs)
    await sleep(lastsMs)
    await stopping
  },
}
