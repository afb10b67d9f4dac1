import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { refuseEarlierClaim } from '#src/document/claim-lost.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import { sameOwner } from '#src/document/store-manifest.ts'
import { flushFolder, isOneOf, isThere, readIfThere, writeNew } from '../file-system.ts'
import { flushWritten } from './journal/flush-written.ts'
import { flushRenamed, makeFolderFlushed, makeFolderFor } from './files/make-folder.ts'
import { parseRecord, RECORD_FILE } from '../record-json.ts'
import type { WorkArea, WorkItem } from './files/work-area.ts'
import { workIdOf } from './files/work-area.ts'

/*
 * Commit protocol of a document's outputs, safe against a crash at any moment.
 *
 *   staged   Writes and flushes all files and the record in a separate folder, `.sluice/staging/<id>`.
 *   aside    Flushes the name of the staged folder. Then moves the dead letter and the folder of an earlier commit
 *            into `.sluice/aside/`, by one rename each. The final path is empty only until the next step. A reader
 *            reads the folder in `aside` then, and finds the old outputs.
 *   entered  Renames the staged folder to its final path. This one rename is the commit.
 *   clean    Removes the items in `aside`.
 *
 * After a crash the staged folder shows the state. If it exists, the commit has not happened. Recovery moves the items
 * in `aside` back and drops the staged folder; its receipt makes the retry free. If it is gone, the commit has
 * happened, and recovery removes the items in `aside`.
 */

/** Names of one document in the store. */
export interface DocumentPaths {
  readonly hash: string
  /** Folder of its outputs. */
  readonly folder: string
  /** File of its dead letter. */
  readonly letter: string
}

/** Two concurrent commits of one document move each other aside; neither needs more retries. */
const MAX_TRIES = 50

interface NewDocument {
  readonly record: DocumentRecord
  /** Its files, and `record.json`. */
  readonly all: ReadonlyMap<string, Uint8Array>
}

/** Runs all steps. */
export async function putDocument(
  area: WorkArea,
  paths: DocumentPaths,
  { record, all }: NewDocument,
  flushes: boolean,
): Promise<void> {
  const id = area.newId()
  const staged = await area.staged(id)
  try {
    await mkdir(staged)
    await Promise.all([...all].map(([name, bytes]) => writeNew(join(staged, name), bytes, flushes)))
    if (flushes) await flushFolder(staged)
    await commitStaged(area, { id, flushes }, paths, record)
  } catch (error) {
    await rm(staged, { recursive: true, force: true })
    throw error
  }
}

/**
 * Runs from `staged` to `clean`. On an error it restores the state before. Without `flushes` it flushes nothing: the
 * journal holds the commit, and replays it after a power loss.
 */
async function commitStaged(
  area: WorkArea,
  { id, flushes }: Staged,
  paths: DocumentPaths,
  record: DocumentRecord,
): Promise<void> {
  const letterAside = area.asidePath(id, paths.hash, 'letter')
  const oldAside = area.asidePath(id, paths.hash, 'old')
  try {
    const hadLetter = await moveAside(area, { id, flushes }, paths.letter, letterAside)
    const hadOld = await exchangeFolder(area, { id, flushes, folder: paths.folder, aside: oldAside }, record)
    if (flushes) await flushRenamed(dirname(paths.folder), area)
    if (hadLetter) await rm(letterAside, { force: true })
    if (hadOld) await rm(oldAside, { recursive: true, force: true })
  } catch (error) {
    await moveBack(area, letterAside, paths.letter)
    await moveBack(area, oldAside, paths.folder)
    throw error
  }
}

/**
 * Flushes the name of the staged folder before anything moves aside. A power loss could otherwise save the move but
 * lose the staged folder. Recovery would then treat the commit as done, and the old folder as replaced.
 */
async function moveAside(area: WorkArea, { id, flushes }: Staged, from: string, aside: string): Promise<boolean> {
  if (!existsSync(from)) return false
  if (flushes) {
    // The journal may not have flushed this folder yet. It must be on the disk if recovery moves it back after a power
    // loss.
    await flushWritten(new Set([from]), area.root)
    await flushFolder(dirname(area.stagedPath(id)))
  }
  return moveIfThere(from, aside)
}

interface Staged {
  /** Id of the staged folder. */
  readonly id: string
  readonly flushes: boolean
}

interface Move extends Staged {
  readonly folder: string
  /** Path in `aside` for an earlier folder. */
  readonly aside: string
}

/** Returns true if an earlier folder moved aside. A folder of another source, or of a later claim, moves back. */
async function exchangeFolder(
  area: WorkArea,
  { id, flushes, folder, aside }: Move,
  record: DocumentRecord,
): Promise<boolean> {
  let hadOld = false
  for (let tries = 1; ; tries++) {
    try {
      await rename(area.stagedPath(id), folder)
      return hadOld
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      if (isOneOf(error, 'ENOENT')) await makeFolderFor(folder, area, flushes)
      else if (isOneOf(error, 'ENOTEMPTY', 'EEXIST')) {
        // If another worker resumes late, the present commit stays at its path: a reader never misses it.
        refuseReplacing(await completeRecord(folder), record)
        // The present commit moves aside. If another one already did, another worker committed in between. The present
        // commit is the later one, and the first is outdated.
        if (hadOld) await rm(aside, { recursive: true, force: true })
        hadOld = (await moveAside(area, { id, flushes }, folder, aside)) || hadOld
        if (hadOld) refuseReplacing(await completeRecord(aside), record)
      } else throw error
    }
  }
}

function refuseReplacing(present: DocumentRecord | null, record: DocumentRecord): void {
  if (present === null) return
  if (!sameOwner(present, record)) throw new RecordOfOther(present.source)
  refuseEarlierClaim(record, present)
}

/** Reverts or completes one set-aside item of a commit whose process is gone. */
export async function recoverAside(
  aside: WorkItem,
  area: WorkArea,
  pathOf: (item: WorkItem) => Promise<string | null>,
): Promise<void> {
  const committed = !(await isThere(area.stagedPath(workIdOf(aside.name))))
  const home = committed ? null : await pathOf(aside)
  if (home !== null) await moveBack(area, aside.path, home)
  await rm(aside.path, { recursive: true, force: true })
}

/** Record of a set-aside folder, if the folder is complete: a removal may have been interrupted. */
export async function completeRecord(folder: string): Promise<ReturnType<typeof parseRecord>> {
  const json = await readIfThere(`${folder}/${RECORD_FILE}`)
  const record = json === null ? null : parseRecord(json)
  if (record === null) return null
  const there = await Promise.all(record.files.map((file) => isThere(`${folder}/${file.name}`)))
  return there.includes(false) ? null : record
}

/** If a non-empty folder or a file has taken the path, the newer one stays. */
async function moveBack(area: WorkArea, aside: string, home: string): Promise<void> {
  if (!(await isThere(aside)) || (await isThere(home))) return
  await makeFolderFlushed(dirname(home), area)
  try {
    await rename(aside, home)
  } catch (error) {
    if (!isOneOf(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

export async function moveIfThere(from: string, to: string): Promise<boolean> {
  if (!existsSync(from)) return false
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return false
    throw error
  }
}
