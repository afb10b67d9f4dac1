import { once } from 'node:events'
import { relative } from 'node:path'
import type { NameRules } from '../path-rules.ts'

export interface FolderEvents extends AsyncDisposable {
  /** True if the system cannot report every event; more frequent scans compensate. */
  readonly incomplete: boolean
}

/** Calls `touched` with the key of every file with an event, from the moment that the promise resolves. */
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
  const { watch } = await import('chokidar')
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks,
    ignorePermissionErrors: true,
    // The state of the files decides about completeness and replacement, not the order of events.
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
  // Mostly the system's limit on watches. Scans continue, more often, so no change is lost.
  watcher.on('error', () => (incomplete = true))
  await once(watcher, 'ready')
  return {
    get incomplete() {
      return incomplete
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  }
}
