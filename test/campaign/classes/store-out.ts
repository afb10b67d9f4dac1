import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningSluice } from '../../support/sluice.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'
import { storeAway } from './moved-aside.ts'
import { perhapsStop, sends, STOPPED_SHARE, stopWithin } from './process-waits.ts'

const TROUBLE = join(import.meta.dirname, '../preloads/store-trouble.ts')
const MAX_MS = 4_000

/** Some runs are stopped while their store hangs, for longer than a stop may take. */
const STOPPED_WITHIN_MS = 3_000
const FOR_GOOD_MS = 60_000

/** A run that has sent nothing for so long has nothing to send, and meets no trouble. */
const IDLE_MS = 15_000

/**
 * A further run for which the store is in trouble for a while, from its start on or from the midst of its work: after some
 * of its requests, because how long a process takes to start is determined by the machine.
 */
const troubled = (kind: 'full' | 'read-only' | 'hangs'): FaultClass => ({
  target: 'folder',
  async inject(context) {
    const { processes, random, note } = context
    // From its start on, or from the first request after so many.
    const after = random.next() < 0.3 ? null : random.below(6)
    const stops = kind === 'hangs' && random.next() < STOPPED_SHARE
    const lastsMs = stops ? FOR_GOOD_MS : 500 + random.below(MAX_MS)
    const alone = random.next() < 0.5
    const begins = after === null ? 'its start' : `its request ${after + 1}`
    note(`a run whose store ${kind} from ${begins} on, for ${lastsMs} ms${alone ? ', alone' : ''}`)
    if (alone) await context.kill(processes.living)
    const running = await startTroubled(context, kind, after, lastsMs)
    await (stops ? stopWithin(context, STOPPED_WITHIN_MS, running) : perhapsStop(context, lastsMs, running))
  },
})

async function startTroubled(
  context: FaultContext,
  kind: string,
  after: number | null,
  lastsMs: number,
): Promise<RunningSluice> {
  const { processes, environment } = context
  const env = {
    FAULT_STORE: environment.out,
    FAULT_STORE_TROUBLE: kind,
    ...(after === null ? { FAULT_BEGINS_MS: '0' } : {}),
    FAULT_LASTS_MS: String(lastsMs),
  }
  const running = processes.start('run', ['--import', TROUBLE], { env })
  if (after === null) return running
  await sends(context, running, after + 1, IDLE_MS)
  if (processes.living.includes(running)) running.child.kill('SIGUSR2')
  return running
}

export const storeFull = troubled('full')
export const storeReadOnly = troubled('read-only')
export const storeHangs = troubled('hangs')

/** The folder of the store goes away under living processes, and comes back; nothing may be made at its path. */
export const storeVanishes: FaultClass = {
  target: 'folder',
  async inject(context) {
    const { processes, environment, random, note } = context
    // A run that claimed to be complete is compared with the store.
    await processes.checked()
    if (!existsSync(join(environment.out, 'store.json')) || processes.living.length === 0) return
    const lastsMs = 300 + random.below(MAX_MS)
    note(`the store is away for ${lastsMs} ms`)
    const over = await context.interrupted(processes.living)
    await storeAway(context, lastsMs, () => perhapsStop(context, lastsMs))
    over()
  },
}
