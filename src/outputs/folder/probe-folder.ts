import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushFolder, writeFlushed } from '../file-system.ts'
import type { WorkArea } from './work-area.ts'

/** Makes sure that a folder store takes what will be written to it: a file that is written, flushed, renamed and removed. */
export async function probeFolder(area: WorkArea): Promise<void> {
  const id = area.newId()
  const staged = await area.staged(id)
  const renamed = `${staged}.probe`
  try {
    await writeFlushed(staged, Buffer.from('probe\n'))
    await rename(staged, renamed)
    await flushFolder(dirname(renamed))
  } finally {
    for (const path of [staged, renamed]) await rm(path, { force: true })
  }
}
