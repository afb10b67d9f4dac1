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
 * One file of a folder source by its key, as a listing would report it: `gone` when nothing is there, null when what is
 * there is no part of the source.
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
    // Asked before the file system is: what never was part of the source does not go from it either. The next scan
    // counts it: names under which programs write come and go.
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
