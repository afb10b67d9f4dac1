import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandOf } from '../crew.ts'
import type { FaultClass, Scene } from './fault-class.ts'

/** A run that must be refused: it exits 1, and nothing is sent. The service would count what it sends. */
async function refused(scene: Scene, what: string, options: { readonly source?: string } = {}): Promise<void> {
  const { crew, breaches, stage } = scene
  const { code, stderr } = await crew.start('run', [], options).finished
  if (code === 1) return
  const where = options.source ?? stage.source
  breaches.unexplained.push(`a run of ${where} with ${what} exits with ${code}, not 1: ${stderr}`)
}

/** The store is made, and Redis knows of it: only then can anything else be told from it. */
async function isKnown({ files, redis }: Scene): Promise<boolean> {
  const manifest = await files.read('store.json').catch(() => null)
  return manifest !== null && (await redis.connection.keys('sluice:store:*')).length > 0
}

/** Another source, with documents of the same names, into the same store. */
export const secondSource: FaultClass = {
  venue: 'folder',
  async strike(scene) {
    if (!(await isKnown(scene))) return
    const source = `${scene.stage.source}-second`
    await cp(scene.stage.source, source, { recursive: true })
    try {
      await refused(scene, 'a second source', { source })
    } finally {
      await rm(source, { recursive: true, force: true })
    }
  },
}

/** The disk of the store is not mounted: an empty folder is in its place. */
export const unmountedStore: FaultClass = {
  venue: 'folder',
  async strike(scene) {
    await withoutStore(scene, 'an empty folder in place of its store', (out) => mkdir(out))
  },
}

/** The folder of the store is not there at all: for a process that starts, or under those that live. */
export const deletedStore: FaultClass = {
  venue: 'folder',
  async strike(scene) {
    const { crew, random } = scene
    if (crew.living.length > 0 && random.next() < 0.5) return removedUnderProcesses(scene)
    await withoutStore(scene, 'its store deleted', async () => undefined)
  },
}

/** Shorter and longer than what a process holds in memory takes to be written. */
const LONGEST_AWAY_MS = 3_000

/** The processes keep what they bought, and make no store in its place. */
async function removedUnderProcesses(scene: Scene): Promise<void> {
  const { stage, random, note, breaches } = scene
  if (!(await isKnown(scene))) return
  const aside = `${stage.out}-aside`
  const awayMs = 100 + random.below(LONGEST_AWAY_MS)
  await rename(stage.out, aside)
  try {
    await sleep(awayMs)
    if (existsSync(stage.out)) breaches.unexplained.push('a process made the store anew that was removed under it')
  } finally {
    await rm(stage.out, { recursive: true, force: true })
    await rename(aside, stage.out)
  }
  note(`the store was away for ${awayMs} ms`)
}

async function withoutStore(scene: Scene, what: string, replace: (out: string) => Promise<unknown>): Promise<void> {
  const { crew, stage, note } = scene
  await scene.kill(crew.living)
  if (!(await isKnown(scene))) return
  const aside = `${stage.out}-aside`
  await rename(stage.out, aside)
  try {
    await replace(stage.out)
    await refused(scene, what)
  } finally {
    await rm(stage.out, { recursive: true, force: true })
    await rename(aside, stage.out)
  }
  note('the store is back')
}

/** What a run may take to its end before it is killed. */
const LONGEST_RUN_MS = 30_000

/** The disk of the source is not mounted: nothing may be taken for gone. */
export const unmountedSource: FaultClass = {
  venue: 'folder',
  async strike(scene) {
    const { crew, stage, files, breaches, random } = scene
    // While documents are pending, a run of the empty folder ends at the first of them; without, it asks what is gone.
    if (random.next() < 0.6) {
      const ending = crew.living.filter((one) => commandOf(one) === 'run').map(({ finished }) => finished)
      await Promise.race([Promise.all(ending), sleep(LONGEST_RUN_MS, undefined, { ref: false })])
    }
    await scene.kill(crew.living)
    if (!(await isKnown(scene))) return
    const before = await files.list('documents')
    const aside = `${stage.source}-aside`
    await rename(stage.source, aside)
    await mkdir(stage.source)
    try {
      await crew.start('run').finished
    } finally {
      await rm(stage.source, { recursive: true, force: true })
      await rename(aside, stage.source)
    }
    const after = new Set(await files.list('documents'))
    const lost = before.filter((name) => name.endsWith('/record.json') && !after.has(name))
    for (const name of lost) breaches.lost.push(`${name} was removed while its source was not mounted`)
  },
}
