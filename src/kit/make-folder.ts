import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it; resolves with the uppermost one that was missing, or null. Not by `mkdir` with
 * `recursive`: it reports a read-only file system as a missing folder, and where the file system refuses new names with
 * ENOENT, as /proc does, Node asks again without end.
 *
 * @throws {NodeJS.ErrnoException} as `mkdir` and `stat` do; ENOTDIR where something else than a folder has that name
 */
export async function makeFolder(path: string, { mode }: { readonly mode?: number } = {}): Promise<string | null> {
  const missing: string[] = []
  for (let folder = path; !(await isFolder(folder)); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) await mkdir(folder, mode).catch(unlessMade)
  return missing[0] ?? null
}

/** Another process that makes the same folders may be first. */
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
  throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR', path })
}
