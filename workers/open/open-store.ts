import type { Settings } from '#config/settings.ts'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MANIFEST_FILE } from '#src/document/store-manifest.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { JournalLimits } from '#src/outputs/folder/journal/journal.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { locationOf } from '../settings/location.ts'
import { madeFor } from '../settings/setting-errors.ts'

interface OpenStoreOptions {
  readonly mustExist?: boolean
  /**
   * Called with the address that the store would have, before a folder in which there is none is touched. `isMade` says
   * whether another process has made it since.
   */
  readonly beforeMaking?: (url: string, isMade: () => boolean) => Promise<void>
}

/** The output store that `--out` names; with `mustExist` anything but a store is refused, and nothing is made. */
export async function openStore(
  settings: Settings,
  resources: AsyncDisposableStack,
  { mustExist = false, beforeMaking }: OpenStoreOptions = {},
): Promise<OutputStore> {
  const at = locationOf(settings.out)
  if (at.kind === 'site') {
    throw new SetupError(`"${settings.out}" is a website: --out is a folder or s3://bucket/prefix`)
  }
  if (at.kind === 'urls')
    throw new SetupError(`"${settings.out}" is a list of URLs: --out is a folder or s3://bucket/prefix`)
  if (at.kind === 'folder') {
    const isMade = (): boolean => existsSync(join(at.path, MANIFEST_FILE))
    const isStore = mustExist || isMade()
    if (!isStore) {
      await beforeMaking?.(await urlOfFolder(at.path), isMade)
      await madeFor('--out', at.path)
    }
    // One that goes away from here on is not made anew.
    return resources.use(await openFolderStore({ path: at.path, mustExist: isStore, journal: JOURNAL }))
  }
  const { openStoreInBucket } = await import('./open-s3.ts')
  return openStoreInBucket(at, settings, resources, mustExist)
}

/** Of a segment, and of the wait for writes that share a flush. */
const JOURNAL: JournalLimits = { bytes: 32 * 1024 * 1024, delayMs: 4 }

/** As `OutputStore.url`, also of a folder that is not there. */
async function urlOfFolder(path: string): Promise<string> {
  let existing = path
  while (!existsSync(existing)) existing = dirname(existing)
  return pathToFileURL(`${join(await realpath(existing), relative(existing, path))}/`).href
}
