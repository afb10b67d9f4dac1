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
import { makeFolderOf } from '../settings/setting-errors.ts'

interface OpenStoreOptions {
  readonly mustExist?: boolean
  /**
   * Called with the address of the future store, before a folder without a store is touched. `isMade` is true if
   * another process has made the store since.
   */
  readonly beforeMaking?: (url: string, isMade: () => boolean) => Promise<void>
}

/** Opens the output store of `--out`. With `mustExist` anything but a store is refused, and nothing is made. */
export async function openStore(
  settings: Settings,
  resources: AsyncDisposableStack,
  { mustExist = false, beforeMaking }: OpenStoreOptions = {},
): Promise<OutputStore> {
  const at = locationOf(settings.out)
  if (at.kind === 'site') {
    throw new SetupError(`"${settings.out}" is a website: set --out to a folder or s3://bucket/prefix`)
  }
  if (at.kind === 'urls')
    throw new SetupError(`"${settings.out}" is a list of URLs: set --out to a folder or s3://bucket/prefix`)
  if (at.kind === 'folder') {
    const isMade = (): boolean => existsSync(join(at.path, MANIFEST_FILE))
    const isStore = mustExist || isMade()
    if (!isStore) {
      await beforeMaking?.(await urlOfFolder(at.path), isMade)
      await makeFolderOf('--out', at.path)
    }
    // A store that disappears after this point is not recreated.
    return resources.use(await openFolderStore({ path: at.path, mustExist: isStore, journal: JOURNAL }))
  }
  const { openStoreInBucket } = await import('./open-s3.ts')
  return openStoreInBucket(at, settings, resources, mustExist)
}

/** Size of a journal segment, and delay that batches writes into one flush. */
const JOURNAL: JournalLimits = { bytes: 32 * 1024 * 1024, delayMs: 4 }

/** Like `OutputStore.url`, also for a missing folder. */
async function urlOfFolder(path: string): Promise<string> {
  let existing = path
  while (!existsSync(existing)) existing = dirname(existing)
  return pathToFileURL(`${join(await realpath(existing), relative(existing, path))}/`).href
}
