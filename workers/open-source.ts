import { fileURLToPath } from 'node:url'
import type { Settings } from '#config/settings.ts'
import { ARCHIVE_GLOBS, withArchives } from '#src/sources/archive-source.ts'
import { type FolderSourceOptions, openFolderSource } from '#src/sources/folder-source.ts'
import { watchFolder } from '#src/sources/folder-watch.ts'
import { openS3Client } from '#src/sources/s3-client.ts'
import { openS3Source, type S3SourceOptions } from '#src/sources/s3-source.ts'
import { watchS3 } from '#src/sources/s3-watch.ts'
import type { Source, SourceWatch } from '#src/ports.ts'
import { locationOf } from './location.ts'
import { s3ClientOptions } from './open-store.ts'

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
export function openSource(
  name: string,
  settings: SourceSettings,
  storeUrl: string,
  resources: AsyncDisposableStack,
): OpenedSource {
  const opened = openPlace(name, settings, storeUrl, resources)
  if (!settings.archives) return opened
  const { include, exclude } = settings
  return { ...opened, source: withArchives(opened.source, { include, exclude }) }
}

function openPlace(
  name: string,
  settings: SourceSettings,
  storeUrl: string,
  resources: AsyncDisposableStack,
): OpenedSource {
  const { include, exclude, hidden, followSymlinks, archives, stableMs, rescanMs, poll } = settings
  const filter = { include: archives && include.length > 0 ? [...include, ...ARCHIVE_GLOBS] : include, exclude, hidden }
  const at = locationOf(name)
  const rescan = rescanMs === undefined ? {} : { rescanMs }
  if (at.kind === 'folder') {
    const skipFolders = storeUrl.startsWith('file:') ? [fileURLToPath(storeUrl)] : []
    const options: FolderSourceOptions = { ...filter, path: at.path, followSymlinks, skipFolders }
    return { source: openFolderSource(options), watch: () => watchFolder({ ...options, stableMs, poll, ...rescan }) }
  }
  const client = openS3Client(s3ClientOptions(settings))
  resources.defer(() => client.destroy())
  const inside = `s3://${at.bucket}/`
  const skipPrefixes = storeUrl.startsWith(inside) ? [storeUrl.slice(inside.length)] : []
  const options: S3SourceOptions = { ...filter, client, bucket: at.bucket, prefix: at.prefix, skipPrefixes }
  return { source: openS3Source(options), watch: () => watchS3({ ...options, ...rescan }) }
}
