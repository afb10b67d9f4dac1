import { watch } from 'chokidar'
import { once } from 'node:events'
import { relative } from 'node:path'
import type { NameRules } from '../path-rules.ts'

export interface FolderEvents extends AsyncDisposable {
  /** Whether the system said that it cannot report everything; more scans must make up for it. */
  readonly incomplete: boolean
}

/** Calls `touched` with the key of every file to which something happens, from when the promise is kept. */
export async function watchFolderEvents(
  options: {
    readonly root: string
    readonly followSymlinks: boolean
    readonly names: NameRules
    readonly skipFolders: readonly string[]
  },
  touched: (key: string) => void,
): Promise<FolderEvents> {
  const { root, followSymlinks, names, skipFolders } = options
  const keyOf = (path: string): string => relative(root, path)
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks,
    ignorePermissionErrors: true,
    // Whether a file is whole and what replaced what is decided by what is there, not by the order of events.
    atomic: false,
    ignored: (path, stats) => {
      const key = keyOf(path)
      if (key === '' || key.startsWith('..')) return false
      return (
        skipFolders.includes(path) ||
        (stats?.isDirectory() === true && names.skipsFolder(key, key.slice(key.lastIndexOf('/') + 1)) !== null)
      )
    },
  })
  let incomplete = false
  watcher.on('all', (event, path) => {
    if (event === 'add' || event === 'change' || event === 'unlink') touched(keyOf(path))
  })
  // The system's limit on watches, for the most part. Scans go on, so nothing is lost; they are made more often.
  watcher.on('error', () => (incomplete = true))
  await once(watcher, 'ready')
  return {
    get incomplete() {
      return incomplete
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  }
}
