import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass } from './fault-class.ts'
import { perhapsStop } from './perhaps-stop.ts'

const LONGEST_MS = 4_000

/** Writes to the bucket get no answer for a while, then their connection is cut; reads and listings work. */
export const s3Hangs: FaultClass = {
  venue: 's3',
  async strike(scene) {
    const { stage, random, note } = scene
    const lastsMs = 500 + random.below(LONGEST_MS)
    note(`writes to the bucket hang for ${lastsMs} ms`)
    stage.hang?.(lastsMs)
    const stopping = perhapsStop(scene, lastsMs)
    await sleep(lastsMs)
    await stopping
  },
}
