import { readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createExclusive } from '../files/exclusive-file.ts'
import { isOneOf } from '../../file-system.ts'
import type { WorkArea } from '../files/work-area.ts'

const RECHECK_MS = 50

/** Heartbeat: the holder touches the lock this often. */
const HEARTBEAT_MS = 5_000

/** A holder in another container cannot be asked: without a heartbeat for this long it is considered dead. */
const SILENCE_MS = 60_000

export interface Lock extends AsyncDisposable {
  readonly path: string
}

/**
 * One process does the entries again, others wait for it: a document that one of them makes anew must not be set back. A
 * lock of an earlier boot has lost its holder.
 */
export async function lockReplay(area: WorkArea, boot: string, silenceMs = SILENCE_MS): Promise<Lock> {
  const path = join(area.journal, '.replaying')
  const mark = area.newId()
  // Measured on the monotonic clock: the wall clock may be set while a machine starts.
  let seen = { holder: '', touchedMs: 0 }
  let seenAt = 0
  while (!(await createExclusive(path, Buffer.from(`${boot} ${mark}`)))) {
    const present = await readLock(path)
    if (present === null) continue
    if (present.holder !== seen.holder || present.touchedMs !== seen.touchedMs) seenAt = performance.now()
    seen = present
    const [holderBoot, holder = ''] = present.holder.split(' ')
    const idle = { idleMs: performance.now() - seenAt, silenceMs }
    if (holderBoot !== boot || (await area.isOwnerGone(holder, idle))) {
      // Under a name of its own: of two processes that take over, one removes it.
      const aside = join(area.journal, `.${mark}`)
      await rename(path, aside).catch(() => undefined)
      await rm(aside, { force: true })
    } else await sleep(RECHECK_MS)
  }
  const heartbeat = setInterval(() => void touch(path), HEARTBEAT_MS).unref()
  const release = async (): Promise<void> => {
    clearInterval(heartbeat)
    await rm(path, { force: true })
  }
  return { path, [Symbol.asyncDispose]: release }
}

/** Null where it was released. */
async function readLock(path: string): Promise<{ readonly holder: string; readonly touchedMs: number } | null> {
  try {
    const [holder, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { holder, touchedMs: mtimeMs }
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return null
    throw error
  }
}

/** A heartbeat that fails is left out: the next one may succeed. */
async function touch(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now).catch(() => undefined)
}
