import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass, Scene } from './fault-class.ts'
import { perhapsStop } from './perhaps-stop.ts'

const LONGEST_MS = 4_000
const STOPPED_SHARE = 0.4
/** Longer than a stop may take. */
const FOR_GOOD_MS = 60_000
const STOPPED_WITHIN_MS = 2_000

/** Until a run has loaded, listed its bucket and sent requests. */
const SENDS_MS = 20_000
const POLL_MS = 10

/**
 * Writes to the bucket get no answer for a while, then their connection is cut; reads and listings work. Some processes
 * are stopped meanwhile, while nothing else ends the hanging.
 */
export const s3Hangs: FaultClass = {
  venue: 's3',
  async strike(scene) {
    const { crew, stage, random, note } = scene
    const lastsMs = 500 + random.below(LONGEST_MS)
    if (random.next() < STOPPED_SHARE) return stopWhileItHangs(scene)
    note(`writes to the bucket hang for ${lastsMs} ms`)
    stage.hang?.(lastsMs)
    const stopping = perhapsStop(scene, lastsMs, crew.living[0])
    await sleep(lastsMs)
    await stopping
  },
}

/** A run of its own, so that it has all documents that are left: its answers cannot be written when it is stopped. */
async function stopWhileItHangs(scene: Scene): Promise<void> {
  const { crew, stage, random, service, note } = scene
  await scene.kill(crew.living)
  const running = crew.start('run')
  const process = running.child.pid ?? 0
  const after = random.below(4)
  const until = Date.now() + SENDS_MS
  while (crew.living.includes(running) && service.sentBy(process) <= after && Date.now() < until) await sleep(POLL_MS)
  note(`writes to the bucket hang from request ${after + 1} of ${process} on until it has ended, which is stopped`)
  stage.hang?.(FOR_GOOD_MS)
  await sleep(random.below(STOPPED_WITHIN_MS))
  if (crew.living.includes(running)) await scene.terminate(running)
  stage.hang?.(0)
}
