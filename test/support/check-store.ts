import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { openStoreFiles } from '../campaign/checker/store-files.ts'
import { readStoreOutside, type StoreOutside } from '../campaign/checker/store-outside.ts'

export interface StoreView extends Pick<StoreOutside, 'records' | 'letters'> {
  /** Folder of each document, absolute. */
  readonly folders: ReadonlyMap<string, string>
  /** Number of receipts. */
  readonly receipts: number
}

/** Reads a folder store as a reader would; throws where Law 3 is broken: every file is in a record and whole. */
export async function readStore(out: string): Promise<StoreView> {
  const store = await readStoreOutside(openStoreFiles({ kind: 'folder', path: out }))
  if (store.torn.length > 0) throw new Error(store.torn.join('\n'))
  const folders = new Map([...store.folders].map(([key, folder]) => [key, join(out, folder)]))
  return { records: store.records, letters: store.letters, folders, receipts: store.receipts.size }
}

/** Paths of the receipts of a folder store. */
export async function receipts(out: string): Promise<readonly string[]> {
  const dirents = await readdir(join(out, 'receipts'), { recursive: true, withFileTypes: true })
  return dirents.filter((dirent) => dirent.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** As if its receipts had been saved a month ago. */
export async function savedLongAgo(out: string): Promise<void> {
  const longAgo = new Date(Date.now() - 30 * 24 * 3_600_000)
  for (const path of await receipts(out)) await utimes(path, longAgo, longAgo)
}
