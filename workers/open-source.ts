import { fileURLToPath } from 'node:url'
import type { Settings } from '#config/settings.ts'
import { ARCHIVE_GLOBS, withArchives } from '#src/sources/archive-source.ts'
import { type FolderSourceOptions, openFolderSource } from '#src/sources/folder-source.ts'
import { watchFolder } from '#src/sources/folder-watch.ts'
import type { Source, SourceWatch } from '#src/ports.ts'
import { locationOf } from './location.ts'

export type SourceSettings = Pick<
  Settings,
  | 'include'
  | 'exclude'
  | 'hidden'
  | 'followSymlinks'
  | 'archives'
  | 's3Endpoint'
  | 's3Region'
  | 'stableMs'
  | 'rescanMs'
  | 'poll'
>

export interface OpenedSource {
  readonly source: Source
  /** Follows the source; made at the first call. */
  readonly watch: () => SourceWatch
}

/** The source that a command names. `storeUrl`: a store inside the source is never listed. */
export async function openSource(
  name: string,
  settings: SourceSettings,
  storeUrl: string,
  resources: AsyncDisposableStack,
): Promise<OpenedSource> {
  const opened = await openPlace(name, settings, storeUrl, resources)
  if (!settings.archives) return opened
  const { include, exclude } = settings
  return { ...opened, source: withArchives(opened.source, { include, exclude }) }
}

async function openPlace(
  name: string,
  settings: SourceSettings,
  storeUrl: string,
  resources: AsyncDisposableStack,
): Promise<OpenedSource> {
  const { include, exclude, hidden, followSymlinks, archives, stableMs, rescanMs, poll } = settings
  const filter = { include: archives && include.length > 0 ? [...include, ...ARCHIVE_GLOBS] : include, exclude, hidden }
  const at = locationOf(name)
  const rescan = rescanMs === undefined ? {} : { rescanMs }
  if (at.kind === 'folder') {
    const skipFolders = storeUrl.startsWith('file:') ? [fileURLToPath(storeUrl)] : []
    const options: FolderSourceOptions = { ...filter, path: at.path, followSymlinks, skipFolders }
    return { source: openFolderSource(options), watch: () => watchFolder({ ...options, stableMs, poll, ...rescan }) }
  }
  const { openSourceInBucket } = await import('./s3-places.ts')
  return openSourceInBucket(at, { ...settings, ...filter }, storeUrl, resources)
}
