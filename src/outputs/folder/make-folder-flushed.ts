import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { flushFolder } from '../file-system.ts'
import { makeBelow } from './make-folder.ts'
import type { StoreFolder } from './store-folder.ts'

interface Making {
  readonly path: string
  readonly made: Promise<void>
}

/** Folders that are being made, until their names are on the disk. */
const making = new Set<Making>()

/**
 * Makes a folder of a store and those above it, and waits until their names are on the disk: also of those that were there,
 * which another caller may have made a moment before. Throws where the store is not the one that was opened: what is made
 * of its name would hide that it is gone.
 */
export async function makeFolderFlushed(path: string, area: Pick<StoreFolder, 'root' | 'checkStore'>): Promise<void> {
  const one = { path, made: make(path, area) }
  making.add(one)
  try {
    await one.made
  } finally {
    making.delete(one)
  }
}

async function make(path: string, { root, checkStore }: Pick<StoreFolder, 'root' | 'checkStore'>): Promise<void> {
  await checkStore()
  await makeBelow(root, path)
  await Promise.all(foldersAbove(path, root).map(flushFolder))
}

function foldersAbove(path: string, root: string): readonly string[] {
  const above: string[] = []
  for (let folder = path; folder.length > root.length; folder = dirname(folder)) above.push(dirname(folder))
  return above
}

/** Makes the folder of `path`; `flushes`: with its name on the disk. */
export async function makeFolderFor(path: string, area: StoreFolder, flushes: boolean): Promise<void> {
  if (flushes) return makeFolderFlushed(dirname(path), area)
  await area.checkStore()
  await makeBelow(area.root, dirname(path))
}

/**
 * Waits until what was put into a folder is on the disk, and the name of the folder too: it may be there for others before
 * its maker has flushed it, and a writer with a journal flushes no name for itself.
 */
export async function flushRenamed(
  folder: string,
  { root, journal }: Pick<StoreFolder, 'root' | 'journal'>,
): Promise<void> {
  const unflushed = [...making].filter(({ path }) => path === folder || path.startsWith(`${folder}/`))
  const above = existsSync(journal) ? foldersAbove(folder, root) : []
  await Promise.all([...[folder, ...above].map(flushFolder), ...unflushed.map(({ made }) => made)])
}

/** Waits until the names of `path` and of the folders above it, up to `first`, are on the disk; null where none is new. */
export async function flushNames(path: string, first: string | null): Promise<void> {
  if (first === null) return
  const stop = dirname(first)
  for (let made = path; made !== stop && made.length > stop.length; made = dirname(made)) {
    await flushFolder(dirname(made))
  }
}
