import { lstat } from 'node:fs/promises'
import type { SourceItem } from '#src/document/source-item.ts'
import {
  type Folder,
  folderBelow,
  readIgnoreRules,
  rootFolder,
  inspectName,
  skipsFile,
  type VisitRules,
} from './folder-visit.ts'
import { errorCode } from '../unusable.ts'

/**
 * Inspects one file of a folder source by its key, like a listing: `gone` if it is absent, null if it is not part of
 * the source.
 */
export async function inspectPath(root: string, key: string, rules: VisitRules): Promise<SourceItem | 'gone' | null> {
  const names = key.split('/')
  const name = names.pop() ?? ''
  let here: Folder = rootFolder(root)
  try {
    for (const folder of names) {
      const below = folderBelow(folder, { ...here, ignoreRules: await readIgnoreRules(here) }, rules)
      if ('kind' in below || below.skip !== null) return null
      here = below
    }
    here = { ...here, ignoreRules: await readIgnoreRules(here) }
    // Checks the rules before the file system: a name outside the source cannot become gone. The next scan counts it,
    // because temporary names of programs appear and disappear.
    if (skipsFile(name, here, rules) !== null) return null
    const isLink = (await lstat(`${here.path}/${name}`)).isSymbolicLink()
    if (isLink && !rules.followSymlinks) return null
    const seen = await inspectName(name, isLink, here, rules)
    return seen !== null && 'kind' in seen ? seen : null
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return 'gone'
    throw error
  }
}
