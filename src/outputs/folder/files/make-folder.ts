import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { flushFolder, isOneOf } from '../../file-system.ts'

/** Folder of a store, for code that lists or creates folders below it. */
export interface StoreFolder {
  readonly root: string
  /** Folder for the journal segments of all processes; missing before the first segment. */
  readonly journal: string
  /** Throws if the folder is not in the opened store; `checkStoreNow` does so synchronously. */
  readonly checkStore: () => Promise<void>
  readonly checkStoreNow: () => void
}

export const folderUrl = (root: string): string => pathToFileURL(`${root}/`).href

/**
 * Creates a folder and those between it and `root`, but never `root` itself: it must not silently recreate a store that
 * vanished after a check. Resolves with the topmost new folder, or null.
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

/** Null if it is a folder; rethrows if it is a file. */
async function isFolderOr(path: string, error: unknown): Promise<null> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory() === true) return null
  throw error
}

interface Making {
  readonly path: string
  readonly made: Promise<void>
}

/** Folders in creation, until their names are on the disk. */
const making = new Set<Making>()

/**
 * Creates a folder of a store and its parents, and waits until their names are on the disk. This includes existing
 * parents, because another caller may have created them a moment before. Throws if the store is not the opened one: a
 * new folder would hide its loss.
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

/** Creates the folder of `path`; with `flushes` its name reaches the disk, too. */
export async function makeFolderFor(path: string, area: StoreFolder, flushes: boolean): Promise<void> {
  if (flushes) return makeFolderFlushed(dirname(path), area)
  await area.checkStore()
  await makeBelow(area.root, dirname(path))
}

/**
 * Waits until a folder's new names and the name of the folder are on the disk. Others may see the folder before its
 * creator has flushed it, and a writer with a journal flushes no names.
 */
export async function flushRenamed(
  folder: string,
  { root, journal }: Pick<StoreFolder, 'root' | 'journal'>,
): Promise<void> {
  const unflushed = [...making].filter(({ path }) => path === folder || path.startsWith(`${folder}/`))
  const above = existsSync(journal) ? foldersAbove(folder, root) : []
  await Promise.all([...[folder, ...above].map(flushFolder), ...unflushed.map(({ made }) => made)])
}

/**
 * Waits until the names of `path` and of the folders above it, up to `first`, are on the disk; `first` is null if none
 * is new.
 */
export async function flushNames(path: string, first: string | null): Promise<void> {
  if (first === null) return
  const stop = dirname(first)
  for (let made = path; made !== stop && made.length > stop.length; made = dirname(made)) {
    await flushFolder(dirname(made))
  }
}
