import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isOneOf } from '../file-system.ts'
import { flushNames, makeBelow } from './files/make-folder.ts'

/** Made in the work folder, to be searched for under other spellings. */
const PROBE = 'Fold-\u00e9'

/**
 * Whether the file system takes two names for one that differ in case or Unicode form. Asked by making a folder with
 * one name and searching for it under the others. A store that cannot be written to is only read from: no names are made.
 */
export async function foldsNames(root: string): Promise<boolean> {
  const workFolder = join(root, '.sluice')
  try {
    const probe = join(workFolder, PROBE)
    await flushNames(probe, await makeBelow(root, probe))
  } catch (error) {
    if (!isOneOf(error, 'EROFS', 'EACCES', 'EPERM')) throw error
  }
  const others = [PROBE.toLowerCase(), PROBE.normalize('NFD')]
  return others.some((other) => existsSync(join(workFolder, other)))
}
