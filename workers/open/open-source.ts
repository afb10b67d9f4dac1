import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '#config/settings.ts'
import { sourceKey } from '#src/document/ids.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import type { Source, SourceWatch } from '#src/ports/source.ts'
import { withArchives } from '#src/sources/archives/archive-source.ts'
import { containerGlobs } from '#src/sources/archives/container-kind.ts'
import { type FolderSourceOptions, openFolderSource } from '#src/sources/folder/folder-source.ts'
import { openOneFile } from '#src/sources/folder/one-file.ts'
import type { Filter } from '#src/sources/path-rules.ts'
import type { ListingPurchases } from './listing-purchases.ts'
import { locationOf } from '../settings/location.ts'
import type { NoticesFor } from './s3-notices.ts'

export interface OpenedSource {
  readonly source: Source
  /** Starts the watch of the source; called once. */
  readonly watch: () => Promise<SourceWatch>
}

export interface SourceContext {
  /** A listing excludes a store inside the source. */
  readonly storeUrl: string
  /** Called with one line for the user. */
  readonly say: (line: string) => void
  /** Opens the notifications of a bucket; without it buckets are polled. */
  readonly noticesFor?: NoticesFor
  /** Account for charged requests of a listing. */
  readonly purchases?: ListingPurchases
}

/** Opens the source that a command names. */
export async function openSource(
  name: string,
  settings: Settings,
  around: SourceContext,
  resources: AsyncDisposableStack,
): Promise<OpenedSource> {
  const opened = await openByName(name, settings, around, resources)
  if (['urls', 'site'].includes(locationOf(name).kind)) return opened
  const {
    include,
    exclude,
    hidden,
    archives,
    archiveLimits: { members, mb, ratio },
  } = settings
  const { MailUnpacker } = await import('@sluice/engine/mail')
  const mails = resources.use(new MailUnpacker())
  const limits = { mostMembers: members, mostBytes: mb * MIB, mostRatio: ratio }
  const opener = withArchives(opened.source, { include, exclude, hidden, archives, limits, mails })
  return { source: opener.source, watch: async () => opener.watch(await opened.watch()) }
}

const MIB = 1024 * 1024

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

function openFile(path: string, filter: Filter, followSymlinks: boolean): OpenedSource {
  const options = { ...filter, path: dirname(path), followSymlinks }
  return {
    source: openOneFile(options, sourceKey(basename(path))),
    watch: () => Promise.reject(new SourceUnusable(`${path} is a file, and watch follows folders: give its folder`)),
  }
}

async function openByName(
  name: string,
  settings: Settings,
  around: SourceContext,
  resources: AsyncDisposableStack,
): Promise<OpenedSource> {
  const { include, exclude, hidden, followSymlinks, archives, stableMs, rescanMs, poll } = settings
  const filter = { include: include.length > 0 ? [...include, ...containerGlobs(archives)] : include, exclude, hidden }
  const at = locationOf(name)
  if (at.kind === 'folder' && (await isFile(at.path))) return openFile(at.path, filter, followSymlinks)
  const rescan = rescanMs === undefined ? {} : { rescanMs }
  if (at.kind === 'folder') {
    const skipFolders = around.storeUrl.startsWith('file:') ? [fileURLToPath(around.storeUrl)] : []
    const options: FolderSourceOptions = { ...filter, path: at.path, followSymlinks, skipFolders }
    return {
      source: openFolderSource(options),
      watch: async () => {
        if (settings.sqsQueue !== undefined || settings.eventsPort !== undefined) {
          throw new SetupError('--sqs-queue and --events-port need a source in a bucket: leave them out for a folder')
        }
        const { watchFolder } = await import('#src/sources/folder/folder-watch.ts')
        return watchFolder({ ...options, stableMs, poll, ...rescan })
      },
    }
  }
  if (at.kind === 'urls') {
    const { openUrls } = await import('./open-web.ts')
    return openUrls(at.path, settings, resources)
  }
  if (at.kind === 'site') {
    const { openSite } = await import('./open-web.ts')
    return openSite(at.url, settings, around, resources)
  }
  const { openSourceInBucket } = await import('./open-s3.ts')
  return openSourceInBucket(at, { ...settings, ...filter }, around, resources)
}
