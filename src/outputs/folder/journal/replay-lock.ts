import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createExclusive } from '../exclusive-file.ts'
import { isOneOf } from '../../file-system.ts'
import type { WorkArea } from '../work-area.ts'

const LOOK_AGAIN_MS = 50

export interface Lock extends AsyncDisposable {
  readonly path: string
}

/** One process does the entries again, others wait for it: a document that one of them makes anew must not be set back. */
export async function lockReplay(folder: string, area: WorkArea): Promise<Lock> {
  const path = join(folder, '.replaying')
  const mark = area.newId()
  while (!(await createExclusive(path, Buffer.from(mark)))) {
    const holder = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isOneOf(error, 'ENOENT')) return null
      throw error
    })
    if (holder === null) continue
    if (await area.isOwnerGone(holder)) {
      // Under a name of its own: of two processes that take over, one removes it.
      const aside = join(folder, `.${mark}`)
      await rename(path, aside).catch(() => undefined)
      await rm(aside, { force: true })
    } else await sleep(LOOK_AGAIN_MS)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) }
}
