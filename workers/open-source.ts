import { fileURLToPath } from 'node:url'
import type { Settings } from '#config/settings.ts'
import { openFolderSource } from '#src/sources/folder-source.ts'
import type { Source } from '#src/ports.ts'

type SourceSettings = Pick<Settings, 'include' | 'exclude' | 'hidden' | 'followSymlinks'>

/** The source that a command names. `storeUrl`: a store inside the source is never listed. */
export function openSource(name: string, settings: SourceSettings, storeUrl: string): Source {
  const { include, exclude, hidden, followSymlinks } = settings
  const skipFolders = storeUrl.startsWith('file:') ? [fileURLToPath(storeUrl)] : []
  return openFolderSource({ path: name, include, exclude, hidden, followSymlinks, skipFolders })
}
