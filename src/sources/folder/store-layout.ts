import { readdir } from 'node:fs/promises'
import { quickExists } from './quick-lstat.ts'

/** Names of the folders below `receipts/`: the first two digits of the receipts in them. */
const PREFIX = /^[0-9a-f]{2}$/

/**
 * Whether a folder is a store of Sluice, this or another: its outputs are no documents. Told by the layout, so that a
 * copy of a store is recognised too. Any other folder costs two checks. A folder of papers that merely has
 * `documents/` and `receipts/` in it is none.
 */
export async function isStore(path: string): Promise<boolean> {
  const [prefixes, work] = await Promise.all([namesIn(`${path}/receipts`), namesIn(`${path}/.sluice`)])
  const hasReceipts = prefixes !== null && prefixes.length > 0 && prefixes.every((name) => PREFIX.test(name))
  if (!hasReceipts && work === null) return false
  const names = (await namesIn(path)) ?? []
  return names.includes('documents') || (work !== null && names.includes('failures'))
}

/** Null where there is no such folder, or none that may be read. */
async function namesIn(path: string): Promise<readonly string[] | null> {
  return (await quickExists(path)) ? readdir(path).catch(() => null) : null
}
