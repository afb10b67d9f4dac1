import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { flushFile, flushFolder, isOneOf } from '../../file-system.ts'

const AT_ONCE = 6

/**
 * Flushes files and folders of a store one by one: a folder with its files, and all names up to the store. A later
 * write replaced or removed a missing file, and flushes for itself.
 */
export async function flushWritten(paths: ReadonlySet<string>, root: string): Promise<void> {
  const above = new Set<string>()
  for await (const path of mapInOrder(paths, AT_ONCE, async (one) => flushWhole(one))) {
    for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) above.add(folder)
  }
  for await (const _ of mapInOrder(above, AT_ONCE, (folder) => unlessGone(flushFolder(folder)))) continue
}

async function flushWhole(path: string): Promise<string> {
  const names = await namesIn(path)
  if (names === null) await unlessGone(flushFile(path))
  else {
    await Promise.all(names.map((name) => unlessGone(flushFile(join(path, name)))))
    await unlessGone(flushFolder(path))
  }
  return path
}

/** Null if it is not a folder. */
async function namesIn(path: string): Promise<readonly string[] | null> {
  try {
    return await readdir(path)
  } catch (error) {
    if (isOneOf(error, 'ENOTDIR', 'ENOENT')) return null
    throw error
  }
}

async function unlessGone(flush: Promise<void>): Promise<void> {
  try {
    await flush
  } catch (error) {
    if (!isOneOf(error, 'ENOENT', 'ENOTDIR')) throw error
  }
}
