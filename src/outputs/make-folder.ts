import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isOneOf } from './file-system.ts'

/** Node reports a read-only file system as a missing folder when it makes several at once: asks for the true reason. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    if (!isOneOf(error, 'ENOENT')) throw error
    let existing = dirname(path)
    while (existing !== dirname(existing) && !(await isFolder(existing))) existing = dirname(existing)
    const [first = ''] = path.slice(existing.length).split('/').filter(Boolean)
    await mkdir(join(existing, first))
    await mkdir(path, { recursive: true })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
