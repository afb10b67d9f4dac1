import { randomBytes } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushFolder, isOneOf, writeFlushed, writeNew } from '../../file-system.ts'

/**
 * Atomic exclusive create with complete content: one of several concurrent processes gets `true`, and no reader sees a
 * partial file. A file system without hard links gets an exclusive create, and a reader may then see an unfinished
 * file. Without `flush` the file may be lost after a power loss.
 */
export async function createExclusive(path: string, bytes: Uint8Array, { flush = true } = {}): Promise<boolean> {
  const staged = besideOf(path)
  try {
    await writeNew(staged, bytes, flush)
    await link(staged, path)
  } catch (error) {
    if (isOneOf(error, 'EEXIST')) return false
    if (!isOneOf(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
    try {
      await writeFile(path, bytes, { flag: 'wx', flush })
    } catch (second) {
      if (isOneOf(second, 'EEXIST')) return false
      throw second
    }
  } finally {
    await rm(staged, { force: true })
  }
  if (flush) await flushFolder(dirname(path))
  return true
}

/** Creates or replaces a file atomically: a reader sees the old content or the new. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const staged = besideOf(path)
  await writeFlushed(staged, bytes)
  await rename(staged, path)
  await flushFolder(dirname(path))
}

const besideOf = (path: string): string => join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`)
