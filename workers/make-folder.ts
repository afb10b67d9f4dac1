import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describeSystemError } from '#src/document/describe-system-error.ts'
import { SetupError } from '#src/document/setup-error.ts'

/** Makes the folder that a setting names, and those above it; the error names the setting. */
export async function madeFor(setting: string, path: string): Promise<void> {
  try {
    await makeFolder(path)
  } catch (error) {
    throw new SetupError(`${setting} ${describeSystemError(error) ?? String(error)}`, { cause: error })
  }
}

/**
 * Makes a folder and those above it. Not by `mkdir` with `recursive`: where the file system refuses new names with
 * ENOENT, as /proc does, Node asks again without end.
 */
async function makeFolder(path: string): Promise<void> {
  const missing: string[] = []
  for (let folder = path; !(await isFolder(folder)); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) await mkdir(folder).catch(unlessMade)
}

/** Another process that makes the same folders may be first. */
function unlessMade(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** Throws where something else than a folder has that name. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path) return false
    throw error
  }
  throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR', path })
}
