import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isOneOf } from '../file-system.ts'

/**
 * Makes a folder and those between it and `root`, never `root` itself: a store that goes away after any check is not made
 * anew in silence. Resolves with the uppermost folder that is new, or null.
 */
export async function makeBelow(root: string, path: string): Promise<string | null> {
  try {
    await mkdir(path)
    return path
  } catch (error) {
    if (isOneOf(error, 'EEXIST')) return isFolderOr(path, error)
    const above = dirname(path)
    if (!isOneOf(error, 'ENOENT') || above === root || above === path) throw error
    const first = await makeBelow(root, above)
    await mkdir(path).catch((failure: unknown) => {
      if (!isOneOf(failure, 'EEXIST')) throw failure
    })
    return first ?? path
  }
}

/** Null where it is a folder; a file of its name is an error. */
async function isFolderOr(path: string, error: unknown): Promise<null> {
  if (await isFolder(path)) return null
  throw error
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
