import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushFolder } from './file-system.ts'

/**
 * Makes a folder of a store and those above it, and waits until the names of all that are new are on the disk.
 * `checkStore` throws where the store is not the one that was opened: what is made in its place would hide that it is gone.
 */
export async function makeFolderFlushed(path: string, checkStore: () => Promise<void>): Promise<void> {
  await checkStore()
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  const stop = dirname(first)
  for (let made = path; made !== stop && made.length > stop.length; made = dirname(made)) {
    await flushFolder(dirname(made))
  }
}
