import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Settings } from '#config/settings.ts'
import type { SourceId, StoreId } from '#src/document/ids.ts'

export interface Folders {
  /** Where the private Redis keeps its data and the log is written. */
  readonly state: string
  /** Where fetched programs and OCR data are kept; shared by all runs of a user. */
  readonly cache: string
  /** Paid answers that a store did not take; never in the store's own folder, which may be what is full. */
  readonly spool: string
}

const isFolder = (store: string): boolean => !/^[a-z0-9+.-]+:\/\//i.test(store)

/** The state of a folder store lies in it, so that removing the folder removes all; that of a bucket in the home. */
export function foldersOf(settings: Pick<Settings, 'out' | 'stateDir' | 'cacheDir' | 'spool'>): Folders {
  const cache = settings.cacheDir ?? join(homedir(), '.cache', 'sluice')
  const spool = resolve(settings.spool ?? join(homedir(), '.local', 'state', 'sluice', 'spool'))
  if (settings.stateDir !== undefined) return { state: resolve(settings.stateDir), cache: resolve(cache), spool }
  const name = createHash('sha256').update(settings.out).digest('hex').slice(0, 16)
  const state = isFolder(settings.out)
    ? resolve(settings.out, '.sluice')
    : join(homedir(), '.local', 'state', 'sluice', name)
  return { state, cache: resolve(cache), spool }
}

/** Names what belongs together in Redis: one source into one store, wherever both are mounted. 16 hexadecimal digits. */
export function pipelineId(store: StoreId, source: SourceId): string {
  return createHash('sha256').update(`${store}\n${source}`).digest('hex').slice(0, 16)
}
