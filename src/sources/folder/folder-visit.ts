import { type BigIntStats, type Dir, type Dirent, constants } from 'node:fs'
import { access, opendir, readdir, readFile } from 'node:fs/promises'
import { sourceKey } from '#src/document/ids.ts'
import type { LeftOutReason, SkipReason } from '#src/document/skip.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { fileVersion } from './file-version.ts'
import { IGNORE_FILE, IgnoreRules, type NameRules } from '../path-rules.ts'
import { quickExists, quickLstat, quickStat } from './quick-lstat.ts'
import { errorCode, failureOf, isText, showName, unusable } from '../unusable.ts'

/** A folder on the way down from the root. */
export interface Folder {
  /** Empty for the root, else with a slash at its end. */
  readonly key: string
  readonly path: string
  readonly ignoreRules: IgnoreRules | null
  /** Device and inode of every folder above it: a link back to one of them is a loop. */
  readonly above: readonly string[]
  /** Why no file below it is a document; they are only counted. Null where they may be. */
  readonly skip: SkipReason | null
}

/** The folder that is the whole source. */
export const rootFolder = (path: string): Folder => ({ key: '', path, ignoreRules: null, above: [], skip: null })

/** What one visit saw, a batch at a time. */
export interface Inspected {
  readonly items: readonly SourceItem[]
  readonly folders: readonly Folder[]
}

export interface VisitRules {
  readonly names: NameRules
  readonly followSymlinks: boolean
  /** Device and inode of folders that are never entered. */
  readonly closed: ReadonlySet<string>
}

/** Directory entries read together: enough to keep the file system busy, and all that is held in memory of a folder. */
const BATCH = 512

/**
 * Lists one folder. A folder that may not be entered, or is a loop, is one unusable item with its key, slash
 * included: what is below it is unknown. Throws where the listing cannot go on.
 */
export async function* visit(folder: Folder, rules: VisitRules): AsyncGenerator<Inspected> {
  const opened = await enter(folder, rules)
  if (opened === null) return
  if ('items' in opened) {
    yield opened
    return
  }
  const { directory, here } = opened
  for await (const batch of entriesOf(directory)) yield await inspect(batch, here, rules)
}

/** A thread reads a batch; what it read is then taken without a wait for each entry. */
async function* entriesOf(directory: Dir): AsyncGenerator<readonly Dirent<Buffer>[]> {
  try {
    for (;;) {
      const first = await directory.read()
      if (first === null) return
      const batch = [first]
      while (batch.length < BATCH) {
        // The thread stops short of a batch only at the end of the folder, which is known at once.
        const entry = directory.readSync()
        if (entry === null) break
        batch.push(entry)
      }
      // The types of Node do not know that `encoding: 'buffer'` gives names as bytes.
      yield batch as unknown as readonly Dirent<Buffer>[]
    }
  } finally {
    await directory.close()
  }
}

/** Opens a folder; null when it is closed to us or gone, a sighting when it is unusable. */
async function enter(
  folder: Folder,
  rules: VisitRules,
): Promise<{ readonly directory: Dir; readonly here: Folder } | Inspected | null> {
  try {
    const id = identity(await quickStat(folder.path))
    if (rules.closed.has(id)) {
      if (folder.key === '')
        throw new SetupError(`${folder.path} is the output folder: it cannot be the source as well.`)
      return leftOut(folder.key, 'store')
    }
    if (folder.above.includes(id)) return loop(folder)
    if (await isStore(folder.path)) {
      if (folder.key === '') {
        throw new SetupError(
          `${folder.path} is a store of Sluice, not a source: name the folder that holds the documents.`,
        )
      }
      return leftOut(folder.key, 'store')
    }
    const ignoreRules = await readIgnoreRules(folder)
    const directory = await opendir(folder.path, { encoding: 'buffer' as BufferEncoding, bufferSize: BATCH })
    return { directory, here: { ...folder, ignoreRules, above: [...folder.above, id] } }
  } catch (error) {
    const failure = failureOf(error, folder.key, 'scan')
    if (failure === null || folder.key === '') throw error
    if (failure.code === 'vanished') return null
    if (folder.skip !== null) return leftOut(folder.key, 'unreadable')
    return { items: [unusable(folder.key, failure)], folders: [] }
  }
}

const leftOut = (key: string, reason: LeftOutReason): Inspected => ({
  items: [{ kind: 'left_out', key: sourceKey(key), reason }],
  folders: [],
})

function loop(folder: Folder): Inspected {
  const message = `${JSON.stringify(folder.key)} is a symbolic link to a folder above it. Remove the link.`
  return { items: [unusable(folder.key, { code: 'symlink_loop', stage: 'scan', message })], folders: [] }
}

/** The rules that hold in a folder: its own ignore file before those above it. */
export async function readIgnoreRules(folder: Folder): Promise<IgnoreRules | null> {
  const path = `${folder.path}/${IGNORE_FILE}`
  try {
    if (!(await quickExists(path))) return folder.ignoreRules
    return new IgnoreRules(await readFile(path, 'utf8'), folder.key, folder.ignoreRules)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return folder.ignoreRules
    throw error
  }
}

/** Null for what is gone by now. */
type Found = SourceItem | Folder | null

async function inspect(batch: readonly Dirent<Buffer>[], here: Folder, rules: VisitRules): Promise<Inspected> {
  const seen: Found[] = []
  const late: Promise<Found>[] = []
  for (const entry of batch) {
    const found = inspectEntry(entry, here, rules)
    if (found instanceof Promise) late.push(found)
    else seen.push(found)
  }
  // While the file system answers at once nothing is waited for.
  if (late.length > 0) seen.push(...(await Promise.all(late)))
  const items: SourceItem[] = []
  const folders: Folder[] = []
  for (const one of seen) {
    if (one === null) continue
    if ('kind' in one) items.push(one)
    else folders.push(one)
  }
  return { items, folders }
}

function inspectEntry(entry: Dirent<Buffer>, here: Folder, rules: VisitRules): Found | Promise<Found> {
  const reason = skipsEntry(entry, here, rules)
  if (reason !== null)
    return skipped(here.key + (isText(entry.name) ? entry.name.toString() : showName(entry.name)), reason)
  if (!isText(entry.name)) return badName(entry, here)
  const name = entry.name.toString('utf8')
  return entry.isDirectory() ? folderBelow(name, here, rules) : inspectName(name, entry.isSymbolicLink(), here, rules)
}

/** What a directory entry alone shows: why it is no document. A folder is none of these. */
function skipsEntry(entry: Dirent<Buffer>, here: Folder, rules: VisitRules): SkipReason | null {
  if (entry.isDirectory()) return null
  if (here.skip !== null) return here.skip
  const isLink = entry.isSymbolicLink()
  if (isLink && !rules.followSymlinks) return 'symlink'
  if (!isLink && !entry.isFile()) return 'special'
  return isLink || !isText(entry.name) ? null : skipsFile(entry.name.toString('utf8'), here, rules)
}

/** One name in a folder, asked of the file system: a document, a folder that a link leads to, or unusable. */
export function inspectName(name: string, isLink: boolean, here: Folder, rules: VisitRules): Found | Promise<Found> {
  const path = `${here.path}/${name}`
  const failed = (error: unknown): Found => unreadable(error, name, isLink, here, rules)
  try {
    const stats = isLink ? quickStat(path) : quickLstat(path)
    if (stats instanceof Promise) return stats.then((known) => inspectStats(known, name, here, rules)).catch(failed)
    const found = inspectStats(stats, name, here, rules)
    return found instanceof Promise ? found.catch(failed) : found
  } catch (error) {
    return failed(error)
  }
}

function inspectStats(stats: BigIntStats, name: string, here: Folder, rules: VisitRules): Found | Promise<Found> {
  if (stats.isDirectory()) return folderBelow(name, here, rules)
  const key = here.key + name
  const reason = stats.isFile() ? skipsFile(name, here, rules) : 'special'
  if (reason !== null) return skipped(key, reason)
  const document = {
    kind: 'document',
    key: sourceKey(key),
    version: fileVersion(stats),
    bytes: Number(stats.size),
  } as const
  return mayRead(stats) ? document : access(`${here.path}/${name}`, constants.R_OK).then(() => document)
}

function unreadable(error: unknown, name: string, isLink: boolean, here: Folder, rules: VisitRules): Found {
  const key = here.key + name
  const failure = failureOf(error, key, 'scan')
  if (failure === null) throw error
  if (failure.code === 'vanished' && !isLink) return null
  const reason = skipsFile(name, here, rules)
  return reason === null ? unusable(key, failure) : skipped(key, reason)
}

const skipped = (key: string, reason: SkipReason): SourceItem => ({ kind: 'skipped', key: sourceKey(key), reason })

/** Why a file is no document by its name and the rules; null where it is one. */
export function skipsFile(name: string, here: Folder, rules: VisitRules): SkipReason | null {
  const key = here.key + name
  return here.skip ?? rules.names.skipsFile(key, name) ?? (here.ignoreRules?.ignores(key) === true ? 'excluded' : null)
}

/** A folder to be entered, if only to count what is in it; or the item of one that is not listed. */
export function folderBelow(name: string, here: Folder, rules: VisitRules): SourceItem | Folder {
  const key = here.key + name
  const reason = rules.names.skipsFolder(key, name)
  const ignored = reason === 'excluded' || here.ignoreRules?.ignores(`${key}/`) === true
  if (ignored || reason === 'store') {
    return { kind: 'left_out', key: sourceKey(`${key}/`), reason: ignored ? 'excluded' : 'store' }
  }
  return { ...here, key: `${key}/`, path: `${here.path}/${name}`, skip: here.skip ?? reason }
}

function badName(entry: Dirent<Buffer>, here: Folder): SourceItem {
  const key = here.key + showName(entry.name) + (entry.isDirectory() ? '/' : '')
  const message = `${JSON.stringify(key)} has a name that is not UTF-8 (shown with %XX for each such byte). Rename it.`
  return unusable(key, { code: 'unreadable_name', stage: 'scan', message })
}

function identity(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`
}

/** Asked once, by the first listing: a process that gives up root does so before. For each file it was a tenth of a scan. */
let user: bigint | null = null

/** Arithmetic on the mode only, to spare a call for each file; a no is asked of the system before it is believed. */
function mayRead(stats: BigIntStats): boolean {
  user ??= BigInt(process.geteuid?.() ?? 0)
  if (user === 0n) return true
  const bit = user === stats.uid ? 0o400n : 0o004n
  return (stats.mode & bit) !== 0n
}

/** Names of the folders below `receipts/`: the first two digits of the receipts in them. */
const PREFIX = /^[0-9a-f]{2}$/

/**
 * Whether a folder is a store of Sluice, this or another: its outputs are no documents. Told by the layout, so that a
 * copy of a store is recognised too. Any other folder costs two checks. A folder of papers that merely has
 * `documents/` and `receipts/` in it is none.
 */
async function isStore(path: string): Promise<boolean> {
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
