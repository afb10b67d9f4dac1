import { readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createExclusive } from '../files/exclusive-file.ts'
import { isOneOf } from '../../file-system.ts'
import type { WorkArea } from '../files/work-area.ts'

const RECHECK_MS = 50

/** Heartbeat interval: the holder touches the lock this often. */
const HEARTBEAT_MS = 5_000

/** Timeout for a holder in another container, which cannot be asked. Without a heartbeat it counts as dead. */
const SILENCE_MS = 60_000

export interface Lock extends AsyncDisposable {
  readonly path: string
}

/**
 * Locks the replay: one process replays the entries, and others wait for it. A replay must not revert a document that
 * one of them commits. A lock of an earlier boot has lost its holder.
 */
export async function lockReplay(area: WorkArea, boot: string, silenceMs = SILENCE_MS): Promise<Lock> {
  const path = join(area.journal, '.replaying')
  const mark = area.newId()
  // Measured on the monotonic clock: the wall clock may change while a machine starts.
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
      // A unique name: only one of two processes that take over succeeds in the rename.
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

/** Null if the lock was released. */
async function readLock(path: string): Promise<{ readonly holder: string; readonly touchedMs: number } | null> {
  try {
    const [holder, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { holder, touchedMs: mtimeMs }
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return null
    throw error
  }
}

/** Ignores a failed heartbeat: the next one may succeed. */
async function touch(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now).catch(() => undefined)
}
