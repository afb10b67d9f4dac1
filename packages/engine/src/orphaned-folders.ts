import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns the name prefix of a temporary folder of this process, of an engine or of a reader of mails. */
export const folderPrefix = (pid: number): string => `sluice-engine-${pid}-`

/** Parses the process id from the name of such a folder. Null for other folders. */
function ownerOf(name: string): number | null {
  const match = /^sluice-engine-(\d+)-/.exec(name)
  return match === null ? null : Number(match[1])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes the temporary folders of killed processes, which may hold documents. */
export async function removeOrphanedFolders(parent: string = tmpdir()): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = ownerOf(name)
    if (owner === null || isAlive(owner)) continue
    // A child that ends with its engine may still be writing here.
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

const cleaned = new Map<string, Promise<void>>()

/**
 * Makes a temporary folder of this process. The first call for a parent removes the folders of killed processes; a
 * killed process leaves its own to the next one.
 */
export async function makeWorkFolder(parent: string = tmpdir()): Promise<string> {
  const cleaning = cleaned.get(parent) ?? removeOrphanedFolders(parent).catch(() => undefined)
  cleaned.set(parent, cleaning)
  await cleaning
  return mkdtemp(join(parent, folderPrefix(process.pid)))
}
