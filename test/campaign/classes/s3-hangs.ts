import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass, FaultContext } from './fault-class.ts'
import { perhapsStop, sends, STOPPED_SHARE, stopWithin } from './process-waits.ts'

const MAX_MS = 4_000
/** Longer than a stop may take. */
const FOR_GOOD_MS = 60_000
const STOPPED_WITHIN_MS = 2_000

/** Until a run has loaded, listed its bucket and sent requests. */
const SENDS_MS = 20_000

/**
 * Writes to the bucket get no answer for a while, then their connection is cut; reads and listings work. Some processes
 * are stopped meanwhile, while nothing else ends the hanging.
 */
export const s3Hangs: FaultClass = {
  target: 's3',
  async inject(context) {
    const { processes, environment, random, note } = context
    const lastsMs = 500 + random.below(MAX_MS)
    if (random.next() < STOPPED_SHARE) return stopWhileItHangs(context)
    note(`writes to the bucket hang for ${lastsMs} ms`)
    environment.hang?.(lastsMs)
    const stopping = perhapsStop(context, lastsMs, processes.living[0])
    await sleep(lastsMs)
    await stopping
  },
}

/** A run of its own, so that it has all documents that are left: its answers cannot be written when it is stopped. */
async function stopWhileItHangs(context: FaultContext): Promise<void> {
  const { processes, environment, random, note } = context
  await context.kill(processes.living)
  const running = processes.start('run')
  const requests = 1 + random.below(4)
  await sends(context, running, requests, SENDS_MS)
  note(
    `writes to the bucket hang from request ${requests} of ${running.child.pid} on until it has ended, which is stopped`,
  )
  environment.hang?.(FOR_GOOD_MS)
  await stopWithin(context, STOPPED_WITHIN_MS, running)
  environment.hang?.(0)
}
