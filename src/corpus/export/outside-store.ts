import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupError } from '#src/document/setup-error.ts'

/** What a store in a folder keeps at its top level for itself. */
const OF_STORE = new Set(['documents', 'receipts', 'failures', 'changes', 'contexts', '.sluice', 'store.json'])

/** @throws {SetupError} where `to` is the store's own folder, one around it, or a path in it that the store manages */
export async function refuseInsideStore(to: string, storeUrl: string): Promise<void> {
  if (!storeUrl.startsWith('file:')) return
  const store = await realpath(fileURLToPath(storeUrl))
  const path = await resolved(resolve(to))
  const below = relative(store, path)
  const isAround = relative(path, store).split(sep)[0] !== '..'
  const isOwn = below.split(sep)[0] !== '..' && OF_STORE.has(below.split(sep)[0] ?? '')
  if (!isAround && !isOwn) return
  throw new SetupError(`--to ${to} belongs to the store in ${store}: name another folder. Nothing was changed`)
}

/** With links followed, also where its last segments are not there yet. */
async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (path === dirname(path)) throw error
    return join(await resolved(dirname(path)), basename(path))
  }
}
