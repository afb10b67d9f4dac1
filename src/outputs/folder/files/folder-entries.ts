import type { Dirent } from 'node:fs'
import { opendir, readdir } from 'node:fs/promises'
import { isOneOf, readIfThere } from '../../file-system.ts'
import type { StoreFolder } from './make-folder.ts'

/**
 * Streams what is in a folder of a store. A folder that does not exist is empty; but only while the store itself is
 * there: a listing of a store that went away would report all of it as removed, and its receipts unused.
 *
 * @throws {StoreUnusable} where the store is away, or another folder has its path
 */
export async function* entriesIn(folder: string, area: StoreFolder): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(folder)) yield entry
  } catch (error) {
    if (!isOneOf(error, 'ENOENT', 'ENOTDIR')) {
      area.checkStoreNow()
      throw error
    }
  }
  // A mount that goes away ends a listing early, and without an error.
  area.checkStoreNow()
}

/** As `entriesIn`, at once: for folders of which all entries are wanted together. */
export async function allEntriesIn(folder: string, area: StoreFolder): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (!isOneOf(error, 'ENOENT', 'ENOTDIR')) {
      area.checkStoreNow()
      throw error
    }
    return []
  } finally {
    area.checkStoreNow()
  }
}

/**
 * Null for a file that does not exist; never because the store is away.
 *
 * @throws {StoreUnusable} as above
 */
export async function readInStore(path: string, area: StoreFolder): Promise<Buffer | null> {
  try {
    const bytes = await readIfThere(path)
    if (bytes === null) area.checkStoreNow()
    return bytes
  } catch (error) {
    area.checkStoreNow()
    throw error
  }
}
