import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents; resolves with the uppermost created one, or null. `mkdir` with `recursive` is not
 * an alternative: it reports a read-only file system as a missing folder. It also loops forever if the file system
 * refuses new names with ENOENT, as /proc does.
 *
 * @throws {NodeJS.ErrnoException} as `mkdir` and `stat` do; ENOTDIR if the name belongs to something other than a
 * folder
 */
export async function makeFolder(path: string, { mode }: { readonly mode?: number } = {}): Promise<string | null> {
  const missing: string[] = []
  for (let folder = path; !(await isFolder(folder)); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) await mkdir(folder, mode).catch(unlessMade)
  return missing[0] ?? null
}

/** Another process that creates the same folders may be first. */
function unlessMade(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path) return false
    throw error
  }
  throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR', path })
}
