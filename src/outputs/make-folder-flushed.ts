import { dirname } from 'node:path'
import { flushFolder } from './file-system.ts'
import { makeBelow } from './make-folder.ts'
import type { WorkArea } from './work-area.ts'

/**
 * Makes a folder of a store and those above it, and waits until the names of all that are new are on the disk. Throws
 * where the store is not the one that was opened: what is made in its place would hide that it is gone.
 */
export async function makeFolderFlushed(path: string, { root, checkStore }: WorkArea): Promise<void> {
  await checkStore()
  await flushNames(path, await makeBelow(root, path))
}

/** Waits until the names of `path` and of the folders above it, up to `first`, are on the disk; null where none is new. */
export async function flushNames(path: string, first: string | null): Promise<void> {
  if (first === null) return
  const stop = dirname(first)
  for (let made = path; made !== stop && made.length > stop.length; made = dirname(made)) {
    await flushFolder(dirname(made))
  }
}
