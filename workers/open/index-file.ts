import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import { makeFolder } from '#src/kit/make-folder.ts'
import { foldersOf } from '../settings/location.ts'

/**
 * The index file of a store in the cache folder, for console and search: it is derived, and a store may be read-only. In
 * memory if the cache is not writable.
 */
export async function indexFileOf(settings: Settings, storeUrl: string): Promise<string> {
  const folder = join(foldersOf(settings).cache, 'view')
  try {
    await makeFolder(folder, { mode: 0o700 })
    return join(folder, `${hash('sha256', storeUrl, 'hex').slice(0, 32)}.sqlite`)
  } catch {
    return ':memory:'
  }
}
