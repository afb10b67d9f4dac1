import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushFolder } from './file-system.ts'

/** Makes a folder and those above it, and waits until the names of all that are new are on the disk. */
export async function makeFolderFlushed(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  const stop = dirname(first)
  for (let made = path; made !== stop && made.length > stop.length; made = dirname(made)) {
    await flushFolder(dirname(made))
  }
}
