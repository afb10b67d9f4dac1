import { open, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}

export function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(error) ?? '')
}

export async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** Writes a new file and waits until it is on the disk. */
export async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes, { flag: 'wx', flush: true })
}

/** Waits until the names in a folder are on the disk: a rename is not kept by flushing the file alone. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes the folders above `path` that became empty, up to `root`, which stays. */
export async function removeEmptyAbove(path: string, root: string): Promise<void> {
  for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch (error) {
      if (isOneOf(error, 'ENOENT')) continue
      return
    }
  }
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}
