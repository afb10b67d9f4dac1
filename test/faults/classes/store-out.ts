import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSluice } from '../../support/sluice.ts'
import type { FaultClass, Scene } from './fault-class.ts'
import { perhapsStop } from './perhaps-stop.ts'

const TROUBLE = join(import.meta.dirname, '../preloads/store-trouble.ts')
const LONGEST_MS = 4_000

/** Some runs are stopped while their store hangs, for longer than a stop may take. */
const STOPPED_SHARE = 0.4
const STOPPED_WITHIN_MS = 3_000
const FOR_GOOD_MS = 60_000

/** A run that has sent nothing for so long has nothing to send, and meets no trouble. */
const IDLE_MS = 15_000
const POLL_MS = 5

/**
 * A further run for which the store is in trouble for a while, from its start on or from the midst of its work: after some
 * of its requests, because how long a process takes to start is told by the machine.
 */
const troubled = (kind: 'full' | 'read-only' | 'hangs'): FaultClass => ({
  venue: 'folder',
  async strike(scene) {
    const { crew, random, note } = scene
    // From its start on, or from the first request after so many.
    const after = random.next() < 0.3 ? null : random.below(6)
    const stops = kind === 'hangs' && random.next() < STOPPED_SHARE
    const lastsMs = stops ? FOR_GOOD_MS : 500 + random.below(LONGEST_MS)
    const alone = random.next() < 0.5
    const begins = after === null ? 'its start' : `its request ${after + 1}`
    note(`a run whose store ${kind} from ${begins} on, for ${lastsMs} ms${alone ? ', alone' : ''}`)
    if (alone) await scene.kill(crew.living)
    const running = await startTroubled(scene, kind, after, lastsMs)
    await (stops ? stopWithin(scene, running) : perhapsStop(scene, lastsMs, running))
  },
})

async function stopWithin(scene: Scene, running: RunningSluice): Promise<void> {
  await sleep(scene.random.below(STOPPED_WITHIN_MS))
  if (scene.crew.living.includes(running)) await scene.terminate(running)
}

async function startTroubled(
  scene: Scene,
  kind: string,
  after: number | null,
  lastsMs: number,
): Promise<RunningSluice> {
  const { crew, stage } = scene
  const env = {
    FAULT_STORE: stage.out,
    FAULT_STORE_TROUBLE: kind,
    ...(after === null ? { FAULT_BEGINS_MS: '0' } : {}),
    FAULT_LASTS_MS: String(lastsMs),
  }
  const running = crew.start('run', ['--import', TROUBLE], { env })
  if (after !== null) await beginTrouble(scene, running, after)
  return running
}

async function beginTrouble({ crew, service }: Scene, running: RunningSluice, requests: number): Promise<void> {
  const process = running.child.pid ?? 0
  const until = Date.now() + IDLE_MS
  while (crew.living.includes(running) && service.sentBy(process) <= requests && Date.now() < until)
    await sleep(POLL_MS)
  if (crew.living.includes(running)) running.child.kill('SIGUSR2')
}

export const storeFull = troubled('full')
export const storeReadOnly = troubled('read-only')
export const storeHangs = troubled('hangs')

/** The folder of the store goes away under living processes, and comes back; nothing may be made in its place. */
export const storeVanishes: FaultClass = {
  venue: 'folder',
  async strike(scene) {
    const { crew, stage, random, note } = scene
    // A run that claimed to be complete is compared with the store.
    await crew.checked()
    if (!existsSync(join(stage.out, 'store.json')) || crew.living.length === 0) return
    const lastsMs = 300 + random.below(LONGEST_MS)
    note(`the store is away for ${lastsMs} ms`)
    const over = await scene.struck(crew.living)
    const aside = `${stage.out}-aside`
    await rename(stage.out, aside)
    const stopping = perhapsStop(scene, lastsMs)
    await sleep(lastsMs)
    await putBack(scene, aside)
    await stopping
    over()
  },
}

async function putBack({ stage, breaches }: Scene, aside: string): Promise<void> {
  if (existsSync(stage.out)) breaches.unexplained.push('a store that was away was made anew in silence')
  await rm(stage.out, { recursive: true, force: true, maxRetries: 5 })
  await rename(aside, stage.out)
}
