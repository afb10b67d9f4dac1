import type { Dirent } from 'node:fs'
import { opendir, readdir } from 'node:fs/promises'
import { isOneOf, readIfThere } from '../../file-system.ts'
import type { StoreFolder } from './make-folder.ts'

/** Number of entries per handover to a thread; 32 by default. */
const BUFFERED = 256

/**
 * Streams the entries of a folder in a store. A missing folder is empty, but only while the store itself exists. A
 * listing of an unmounted store would otherwise report all of it as removed, and its receipts as unused.
 *
 * @throws {StoreUnusable} if the store is unavailable, or another folder has its path
 */
export async function* entriesIn(folder: string, area: StoreFolder): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: BUFFERED })) yield entry
  } catch (error) {
    if (!isOneOf(error, 'ENOENT', 'ENOTDIR')) {
      area.checkStoreNow()
      throw error
    }
  }
  // A vanished mount ends a listing early, without an error.
  area.checkStoreNow()
}

/** Like `entriesIn`, but collects all entries before it returns. */
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
 * Null if the file does not exist; throws if the store is unavailable.
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
