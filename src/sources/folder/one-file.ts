import type { SourceKey } from '#src/document/ids.ts'
import type { Source } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { nameRules } from '../path-rules.ts'
import { inspectPath } from './inspect-path.ts'
import { type FolderSourceOptions, identities, openFolderSource } from './folder-source.ts'
import { unusable } from '../unusable.ts'

const GONE = 'it is no longer there'
const LEFT_OUT = 'a .sluiceignore file leaves it out, or its name is that of a temporary file'

/**
 * A source with one document of a folder; `path` is the folder. It is not an inventory, so documents that are ingested
 * one by one stay. It ignores globs and rules for hidden names, because the user named the document.
 */
export function openOneFile(options: FolderSourceOptions, key: SourceKey): Source {
  const folder = openFolderSource({ ...options, followSymlinks: true })
  return {
    ...folder,
    isPartial: true,
    skips: () => null,
    async *list(): AsyncGenerator<SourceItem> {
      const { path, skipFolders = [] } = options
      const names = nameRules({ hidden: true })
      const item = await inspectPath(path, key, { names, followSymlinks: true, closed: await identities(skipFolders) })
      if (item !== null && item !== 'gone') yield item
      else yield unusable(key, { code: 'unreadable', stage: 'scan', message: item === 'gone' ? GONE : LEFT_OUT })
    },
  }
}
