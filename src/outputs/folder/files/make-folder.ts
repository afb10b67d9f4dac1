import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { flushFolder, isOneOf } from '../../file-system.ts'

/** The folder of a store, as what lists or makes folders below it needs to know it. */
export interface StoreFolder {
  readonly root: string
  /** Folder of the segments of all processes' journals; it is not there before the first one. */
  readonly journal: string
  /** Throws where the folder is not in the store that was opened; the other one does so at once. */
  readonly checkStore: () => Promise<void>
  readonly checkStoreNow: () => void
}

export const folderUrl = (root: string): string => pathToFileURL(`${root}/`).href

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
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory() === true) return null
  throw error
}

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
