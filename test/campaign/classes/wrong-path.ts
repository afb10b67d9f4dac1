import { cp, mkdir, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkEmptyZero } from '../checker/laws.ts'
import { commandOf } from '../world/sluice-processes.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'
import { movedAside, storeAway } from './moved-aside.ts'

/** A run that must be refused: it exits 1, and nothing is sent. The service would count what it sends. */
async function refused(context: FaultContext, what: string, options: { readonly source?: string } = {}): Promise<void> {
  const { processes, breaches, environment } = context
  const { code, stderr } = await processes.start('run', [], options).finished
  if (code === 1) return
  const where = options.source ?? environment.source
  breaches.unexplained.push(`a run of ${where} with ${what} exits with ${code}, not 1: ${stderr}`)
}

/** The store is made, and Redis knows of it: only then can anything else be distinguished from it. */
async function isKnown({ files, redis }: FaultContext): Promise<boolean> {
  const manifest = await files.read('store.json').catch(() => null)
  return manifest !== null && (await redis.connection.keys('sluice:store:*')).length > 0
}

/** Another source, with documents of the same names, into the same store. */
export const secondSource: FaultClass = {
  target: 'folder',
  async inject(context) {
    if (!(await isKnown(context))) return
    const source = `${context.environment.source}-second`
    await cp(context.environment.source, source, { recursive: true })
    try {
      await refused(context, 'a second source', { source })
    } finally {
      await rm(source, { recursive: true, force: true })
    }
  },
}

/** The disk of the store is not mounted: an empty folder is at its path. */
export const unmountedStore: FaultClass = {
  target: 'folder',
  async inject(context) {
    await withoutStore(context, 'an empty folder instead of its store', (out) => mkdir(out))
  },
}

/** The folder of the store is not there at all: for a process that starts, or under those that live. */
export const deletedStore: FaultClass = {
  target: 'folder',
  async inject(context) {
    const { processes, random, note } = context
    if (processes.living.length > 0 && random.next() < 0.5) {
      if (!(await isKnown(context))) return
      const awayMs = 100 + random.below(MAX_AWAY_MS)
      await storeAway(context, awayMs)
      return note(`the store was away for ${awayMs} ms`)
    }
    await withoutStore(context, 'its store deleted', async () => undefined)
  },
}

/** Shorter and longer than what a process holds in memory takes to be written. */
const MAX_AWAY_MS = 3_000

async function withoutStore(
  context: FaultContext,
  what: string,
  replace: (out: string) => Promise<unknown>,
): Promise<void> {
  const { processes, environment, note } = context
  await context.kill(processes.living)
  if (!(await isKnown(context))) return
  await movedAside(environment.out, async () => {
    await replace(environment.out)
    await refused(context, what)
  })
  note('the store is back')
}

/** What a run may take to its end before it is killed. */
const MAX_RUN_MS = 30_000

/** Where Redis lost data before, such a run knows of what the store has only, all of it ended: it may exit 0. */
async function believesNothing({ processes, redis, breaches }: FaultContext): Promise<void> {
  const { code } = await processes.start('run', [], { showsArchive: false }).finished
  if (code === 0) await checkEmptyZero(redis.connection, breaches)
}

/** The disk of the source is not mounted: nothing may be taken for gone. */
export const unmountedSource: FaultClass = {
  target: 'folder',
  async inject(context) {
    const { processes, environment, files, breaches, random } = context
    // While documents are pending, a run of the empty folder ends at the first of them; without, it asks what is gone.
    if (random.next() < 0.6) {
      const ending = processes.living.filter((one) => commandOf(one) === 'run').map(({ finished }) => finished)
      await Promise.race([Promise.all(ending), sleep(MAX_RUN_MS, undefined, { ref: false })])
    }
    await context.kill(processes.living)
    if (!(await isKnown(context))) return
    const before = await files.list('documents')
    await movedAside(environment.source, async () => {
      await mkdir(environment.source)
      await believesNothing(context)
    })
    const after = new Set(await files.list('documents'))
    const lost = before.filter((name) => name.endsWith('/record.json') && !after.has(name))
    for (const name of lost) breaches.lost.push(`${name} was removed while its source was not mounted`)
  },
}
