import { type BigIntStats, type Dir, type Dirent, constants, stat } from 'node:fs'
import { access, opendir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { sourceKey } from '#src/document/ids.ts'
import type { SourceEntry } from '#src/ports.ts'
import { fileVersion } from './file-version.ts'
import { IGNORE_FILE, IgnoreRules, type NameRules } from './folder-rules.ts'
import { quickLstat } from './quick-lstat.ts'
import { errorCode, failureOf, isText, showName, unusable } from './unusable.ts'

/** A folder on the way down from the root. */
export interface Folder {
  /** Empty for the root, else with a slash at its end. */
  readonly key: string
  readonly path: string
  readonly ignoreRules: IgnoreRules | null
  /** Device and inode of every folder above it: a link back to one of them is a loop. */
  readonly above: readonly string[]
}

/** What one visit saw, a batch at a time. */
export interface Sighting {
  readonly entries: readonly SourceEntry[]
  readonly folders: readonly Folder[]
}

export interface VisitRules {
  readonly names: NameRules
  readonly followSymlinks: boolean
  /** Device and inode of folders that are never entered. */
  readonly closed: ReadonlySet<string>
}

/** Entries looked at together: enough to keep the file system busy, and all that is held in memory of a folder. */
const BATCH = 128

const statTarget = promisify(stat)

/**
 * Lists one folder. A folder that may not be entered, or is a loop, is one unusable entry with its key, slash
 * included: nobody knows what is below it. Throws where the listing cannot go on.
 */
export async function* visit(folder: Folder, rules: VisitRules): AsyncGenerator<Sighting> {
  const opened = await enter(folder, rules)
  if (opened === null) return
  if ('entries' in opened) {
    yield opened
    return
  }
  const { directory, here } = opened
  let batch: Dirent<Buffer>[] = []
  // The types of Node do not know that `encoding: 'buffer'` gives names as bytes.
  for await (const entry of directory as unknown as AsyncIterable<Dirent<Buffer>>) {
    batch.push(entry)
    if (batch.length < BATCH) continue
    yield await look(batch, here, rules)
    batch = []
  }
  if (batch.length > 0) yield await look(batch, here, rules)
}

/** Opens a folder; null when it is closed to us or gone, a sighting when it is unusable. */
async function enter(
  folder: Folder,
  rules: VisitRules,
): Promise<{ readonly directory: Dir; readonly here: Folder } | Sighting | null> {
  try {
    const id = identity(await statTarget(folder.path, { bigint: true }))
    if (rules.closed.has(id)) {
      if (folder.key === '') throw new Error(`${folder.path} is the output folder: it cannot be the source as well.`)
      return null
    }
    if (folder.above.includes(id)) return loop(folder)
    const ignoreRules = await readIgnoreRules(folder)
    const directory = await opendir(folder.path, { encoding: 'buffer' as BufferEncoding, bufferSize: BATCH })
    return { directory, here: { ...folder, ignoreRules, above: [...folder.above, id] } }
  } catch (error) {
    const failure = failureOf(error, folder.key, 'scan')
    if (failure === null || folder.key === '') throw error
    if (failure.code === 'vanished') return null
    return { entries: [unusable(folder.key, failure)], folders: [] }
  }
}

function loop(folder: Folder): Sighting {
  const message = `${JSON.stringify(folder.key)} is a symbolic link to a folder above it. Remove the link.`
  return { entries: [unusable(folder.key, { code: 'symlink_loop', stage: 'scan', message })], folders: [] }
}

/** The rules that hold in a folder: its own ignore file before those above it. */
export async function readIgnoreRules(folder: Folder): Promise<IgnoreRules | null> {
  try {
    return new IgnoreRules(await readFile(`${folder.path}/${IGNORE_FILE}`, 'utf8'), folder.key, folder.ignoreRules)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return folder.ignoreRules
    throw error
  }
}

async function look(batch: readonly Dirent<Buffer>[], here: Folder, rules: VisitRules): Promise<Sighting> {
  const seen = await Promise.all(batch.map((entry) => lookAt(entry, here, rules)))
  const entries: SourceEntry[] = []
  const folders: Folder[] = []
  for (const one of seen) {
    if (one === null) continue
    if ('kind' in one) entries.push(one)
    else folders.push(one)
  }
  return { entries, folders }
}

/** Null for what is no part of the source: left out by a rule, gone by now, or a socket, pipe or device. */
async function lookAt(entry: Dirent<Buffer>, here: Folder, rules: VisitRules): Promise<SourceEntry | Folder | null> {
  const isLink = entry.isSymbolicLink()
  if (isLink ? !rules.followSymlinks : !entry.isFile() && !entry.isDirectory()) return null
  if (!isText(entry.name)) return badName(entry, here)
  const name = entry.name.toString('utf8')
  if (entry.isDirectory()) return wantedFolder(name, here, rules)
  if (!isLink && !wantedFile(name, here, rules)) return null
  return sight(name, isLink, here, rules)
}

/** One name in a folder, asked of the file system: a document, a folder that a link leads to, or unusable. */
export async function sight(
  name: string,
  isLink: boolean,
  here: Folder,
  rules: VisitRules,
): Promise<SourceEntry | Folder | null> {
  const key = here.key + name
  const path = `${here.path}/${name}`
  try {
    const stats = await (isLink ? statTarget(path, { bigint: true }) : quickLstat(path))
    if (stats.isDirectory()) return wantedFolder(name, here, rules)
    if (!stats.isFile() || !wantedFile(name, here, rules)) return null
    if (!mayRead(stats)) await access(path, constants.R_OK)
    return { kind: 'document', key: sourceKey(key), version: fileVersion(stats), bytes: Number(stats.size) }
  } catch (error) {
    const failure = failureOf(error, key, 'scan')
    if (failure === null) throw error
    const gone = failure.code === 'vanished' && !isLink
    return gone || !wantedFile(name, here, rules) ? null : unusable(key, failure)
  }
}

function wantedFile(name: string, here: Folder, rules: VisitRules): boolean {
  const key = here.key + name
  return rules.names.wantsFile(key, name) && !here.ignoreRules?.ignores(key)
}

function wantedFolder(name: string, here: Folder, rules: VisitRules): Folder | null {
  const key = here.key + name
  if (!rules.names.wantsFolder(key, name) || here.ignoreRules?.ignores(`${key}/`)) return null
  return { ...here, key: `${key}/`, path: `${here.path}/${name}` }
}

function badName(entry: Dirent<Buffer>, here: Folder): SourceEntry {
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
