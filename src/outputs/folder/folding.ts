import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isOneOf } from '../file-system.ts'
import { flushNames, makeBelow } from './files/make-folder.ts'

/** Created in the work folder, to be looked up under other spellings. */
const PROBE = 'Fold-\u00e9'

/**
 * True if the file system treats names as equal that differ in case or Unicode form. The probe creates a folder with
 * one name and searches for it under the others. A read-only store needs no probe, because it gets no new names.
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
