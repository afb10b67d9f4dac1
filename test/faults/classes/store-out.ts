import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass, Scene } from './fault-class.ts'
import { perhapsStop } from './perhaps-stop.ts'

const TROUBLE = join(import.meta.dirname, '../preloads/store-trouble.ts')
const LONGEST_MS = 4_000

/** A further run for which the store is in trouble for a while, from its start on or from the midst of its work. */
const troubled = (kind: 'full' | 'read-only' | 'hangs'): FaultClass => ({
  venue: 'folder',
  async strike(scene) {
    const { crew, stage, random, note } = scene
    const beginsMs = random.next() < 0.3 ? 0 : 500 + random.below(2_000)
    const lastsMs = 500 + random.below(LONGEST_MS)
    const alone = random.next() < 0.5
    note(`a run whose store ${kind} from ${beginsMs} ms on, for ${lastsMs} ms${alone ? ', alone' : ''}`)
    if (alone) await scene.kill(crew.living)
    const env = {
      FAULT_STORE: stage.out,
      FAULT_STORE_TROUBLE: kind,
      FAULT_BEGINS_MS: String(beginsMs),
      FAULT_LASTS_MS: String(lastsMs),
    }
    const running = crew.start('run', ['--import', TROUBLE], { env })
    await perhapsStop(scene, beginsMs + lastsMs, running)
  },
})

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
