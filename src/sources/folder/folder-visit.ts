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

/** A folder on the path from the root. */
export interface Folder {
  /** Empty for the root, else with a slash at its end. */
  readonly key: string
  readonly path: string
  readonly ignoreRules: IgnoreRules | null
  /** Device and inode of every folder above it: a link back to one of them is a loop. */
  readonly above: readonly string[]
  /** Reason why files below it are only counted as skipped. Null if they may be documents. */
  readonly skip: SkipReason | null
}

/** The root folder of the source. */
export const rootFolder = (path: string): Folder => ({ key: '', path, ignoreRules: null, above: [], skip: null })

/** Items of one visit, per batch. */
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

/** Number of directory entries per batch: it keeps the file system busy and bounds the memory per folder. */
const BATCH = 512

/**
 * Lists one folder. A forbidden folder or a loop is one unusable item with its key, slash included: its content is
 * unknown. Throws if the listing cannot continue.
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

/** A thread reads a batch; the loop then takes its entries without a wait per entry. */
async function* entriesOf(directory: Dir): AsyncGenerator<readonly Dirent<Buffer>[]> {
  try {
    for (;;) {
      const first = await directory.read()
      if (first === null) return
      const batch = [first]
      while (batch.length < BATCH) {
        // The thread returns less than a batch only at the end of the folder, which this call detects at once.
        const entry = directory.readSync()
        if (entry === null) break
        batch.push(entry)
      }
      // The types of Node do not cover names as bytes from `encoding: 'buffer'`.
      yield batch as unknown as readonly Dirent<Buffer>[]
    }
  } finally {
    await directory.close()
  }
}

/** Opens a folder; null if it is excluded or gone, an item if it is unusable. */
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

/** Rules of a folder: its own ignore file takes precedence over those above it. */
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

/** Null for an item that is gone by now. */
type Found = SourceItem | Folder | null

async function inspect(batch: readonly Dirent<Buffer>[], here: Folder, rules: VisitRules): Promise<Inspected> {
  const seen: Found[] = []
  const late: Promise<Found>[] = []
  for (const entry of batch) {
    const found = inspectEntry(entry, here, rules)
    if (found instanceof Promise) late.push(found)
    else seen.push(found)
  }
  // A fast file system answers synchronously, without a wait.
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

/** Reason to skip according to the directory entry alone. Null for a folder. */
function skipsEntry(entry: Dirent<Buffer>, here: Folder, rules: VisitRules): SkipReason | null {
  if (entry.isDirectory()) return null
  if (here.skip !== null) return here.skip
  const isLink = entry.isSymbolicLink()
  if (isLink && !rules.followSymlinks) return 'symlink'
  if (!isLink && !entry.isFile()) return 'special'
  return isLink || !isText(entry.name) ? null : skipsFile(entry.name.toString('utf8'), here, rules)
}

/** Inspects one name in a folder on the file system: a document, a folder behind a link, or unusable. */
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

/** Reason to skip a file by its name and the rules; null for a document. */
export function skipsFile(name: string, here: Folder, rules: VisitRules): SkipReason | null {
  const key = here.key + name
  return here.skip ?? rules.names.skipsFile(key, name) ?? (here.ignoreRules?.ignores(key) === true ? 'excluded' : null)
}

/** A folder to enter, if only to count its files; or the item of a folder that is not listed. */
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

/** Cached at the first listing, after a process has dropped its root rights. A call per file was a tenth of a scan. */
let user: bigint | null = null

/**
 * Checks the mode bits arithmetically, which saves a system call per file; only a refusal is verified with the system.
 */
function mayRead(stats: BigIntStats): boolean {
  user ??= BigInt(process.geteuid?.() ?? 0)
  if (user === 0n) return true
  const bit = user === stats.uid ? 0o400n : 0o004n
  return (stats.mode & bit) !== 0n
}

/** Names of the folders below `receipts/`: the first two digits of the receipts in them. */
const PREFIX = /^[0-9a-f]{2}$/

/**
 * True if a folder is a store of Sluice, this or another: its outputs are not documents. The layout identifies it, so a
 * copy of a store counts, too. Any other folder costs two checks. A folder of papers that merely contains `documents/`
 * and `receipts/` does not match.
 */
async function isStore(path: string): Promise<boolean> {
  const [prefixes, work] = await Promise.all([namesIn(`${path}/receipts`), namesIn(`${path}/.sluice`)])
  const hasReceipts = prefixes !== null && prefixes.length > 0 && prefixes.every((name) => PREFIX.test(name))
  if (!hasReceipts && work === null) return false
  const names = (await namesIn(path)) ?? []
  return names.includes('documents') || (work !== null && names.includes('failures'))
}

/** Null if the folder is absent or unreadable. */
async function namesIn(path: string): Promise<readonly string[] | null> {
  return (await quickExists(path)) ? readdir(path).catch(() => null) : null
}
