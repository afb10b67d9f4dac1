import { StoreUnusable } from '#src/document/store-unusable.ts'
import { errorCode } from './file-system.ts'

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full. Free some space and run again.'],
  ['EDQUOT', 'the disk quota is used up. Free some space and run again.'],
  ['EROFS', 'the file system is read-only. Choose another folder, or mount it writable.'],
  ['EACCES', 'permission denied. Give this user the right to write there, or choose another folder.'],
  ['EPERM', 'the system does not permit it. Give this user the right to write there, or choose another folder.'],
  ['EMFILE', 'too many files are open. Raise the limit (ulimit -n) or lower the concurrency.'],
  ['ENAMETOOLONG', 'a name in its path is too long for the file system. Choose a shorter one.'],
  ['ENOTDIR', 'there is a file where a folder must be. Move it away, or choose another folder.'],
  ['EEXIST', 'there is a file where a folder must be. Move it away, or choose another folder.'],
])

/** Error codes that concern one name, while every other document could be written. */
const OF_ONE_NAME: readonly string[] = ['ENAMETOOLONG', 'EILSEQ', 'EINVAL', 'EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY']

/**
 * Runs work on a store, and wraps a refusal into one sentence with the failure and the remedy. It throws
 * `StoreUnusable`, unless only this name is refused. `ofOneName`: codes of such a refusal; empty if the call opens the
 * store itself.
 */
export async function explained<T>(what: string, work: () => Promise<T>, ofOneName = OF_ONE_NAME): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    const message = `Sluice ${what}: ${ADVICE.get(code) ?? `${code}.`}`
    throw ofOneName.includes(code) ? new Error(message, { cause: error }) : new StoreUnusable(message, { cause: error })
  }
}

/** `hasContent`: true if documents, receipts or dead letters exist. */
export const notAStore = (where: string, hasContent: boolean): string =>
  hasContent
    ? `${where} has documents but no store.json. Nothing was changed. Restore store.json from a backup, ` +
      'or let ./sluice run --new-store make one for what is there.'
    : `${where} is not a store of Sluice: it has no store.json. Give the store with --out; ./sluice run makes a store.`
