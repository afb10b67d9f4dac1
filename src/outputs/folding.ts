import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isOneOf } from './file-system.ts'

/**
 * Whether the file system takes two names for one that differ in case or Unicode form. Asked by making a folder with
 * one name and looking for it under the others. A store that cannot be written to is only read from: no names are made.
 */
export async function foldsNames(workFolder: string): Promise<boolean> {
  const name = 'Prob\u00e9'
  try {
    await mkdir(join(workFolder, name), { recursive: true })
  } catch (error) {
    if (!isOneOf(error, 'EROFS', 'EACCES', 'EPERM')) throw error
  }
  const others = [name.toLowerCase(), name.normalize('NFD')]
  const found = await Promise.all(others.map((other) => isThere(join(workFolder, other))))
  return found.includes(true)
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    return false
  }
}
