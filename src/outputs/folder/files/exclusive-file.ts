import { randomBytes } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushFolder, isOneOf, writeFlushed, writeNew } from '../../file-system.ts'

/**
 * Creates a file with all of its content, or finds that there is one: of processes that try at the same time one gets
 * `true`, and no reader sees a part. A file system without hard links gets an exclusive create, which a reader may see
 * before it is filled. Without `flush` it may be gone after a power loss.
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

/** Replaces a file, or makes it: a reader sees the old content or the new. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const staged = besideOf(path)
  await writeFlushed(staged, bytes)
  await rename(staged, path)
  await flushFolder(dirname(path))
}

const besideOf = (path: string): string => join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`)
