import { errorCode } from './file-system.ts'

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full. Make room and run again.'],
  ['EDQUOT', 'the disk quota is used up. Make room and run again.'],
  ['EROFS', 'the file system is read-only. Choose another folder, or mount it writable.'],
  ['EACCES', 'permission denied. Give this user the right to write there, or choose another folder.'],
  ['EPERM', 'the system does not permit it. Give this user the right to write there, or choose another folder.'],
  ['EMFILE', 'too many files are open. Raise the limit (ulimit -n) or lower the concurrency.'],
  ['ENOTDIR', 'there is a file where a folder must be. Move it away, or choose another folder.'],
  ['EEXIST', 'there is a file where a folder must be. Move it away, or choose another folder.'],
])

/** Runs work on a store; what the surroundings refuse is thrown with one sentence on what failed and what to do. */
export async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    throw new StoreUnusable(`Sluice ${what}: ${ADVICE.get(code) ?? `${code}.`}`, { cause: error })
  }
}

/** The store's surroundings failed (disk full, read-only, no permission): never the document's fault. */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable' as const
}
