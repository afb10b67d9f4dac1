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
 * How a document's outputs are committed, whatever is killed when.
 *
 *   staged   All files and the record are written and flushed in a folder of their own, `.sluice/staging/<id>`.
 *   aside    The name of the staged folder is flushed, and what stands in the way steps aside: the dead letter, and the
 *            folder of an earlier commit, each by one rename into `.sluice/aside/`. Only now, and only until the next
 *            step, is nothing at the final path; a reader of the store reads what stepped aside then, and finds the old outputs.
 *   entered  The staged folder is renamed to its final path. This one rename is the commit.
 *   clean    What stepped aside is removed.
 *
 * After a crash the staged folder shows which it was. It still stands: the commit has not happened, so what stepped
 * aside goes back and the staged folder is dropped (its receipt makes the next try free). It is gone: the commit has
 * happened, and what stepped aside is removed.
 */

/** The names of one document in the store. */
export interface DocumentPaths {
  readonly hash: string
  /** Folder of its outputs. */
  readonly folder: string
  /** File of its dead letter. */
  readonly letter: string
}

/** Two workers that commit one document at the same time step aside for each other; neither needs more tries. */
const MAX_TRIES = 50

interface NewDocument {
  readonly record: DocumentRecord
  /** Its files, and `record.json`. */
  readonly all: ReadonlyMap<string, Uint8Array>
}

/** All steps. */
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
    await enter(area, { id, flushes }, paths, record)
  } catch (error) {
    await rm(staged, { recursive: true, force: true })
    throw error
  }
}

/**
 * From `staged` to `clean`. Throws with everything as it was before. Without `flushes` nothing is flushed: the journal holds
 * the commit, and a loss of power does it again.
 */
async function enter(
  area: WorkArea,
  { id, flushes }: Staged,
  paths: DocumentPaths,
  record: DocumentRecord,
): Promise<void> {
  const letterAside = area.asidePath(id, paths.hash, 'letter')
  const oldAside = area.asidePath(id, paths.hash, 'old')
  try {
    const hadLetter = await stepAside(area, { id, flushes }, paths.letter, letterAside)
    const hadOld = await exchangeFolder(area, { id, flushes, folder: paths.folder, aside: oldAside }, record)
    if (flushes) await flushRenamed(dirname(paths.folder), area)
    if (hadLetter) await rm(letterAside, { force: true })
    if (hadOld) await rm(oldAside, { recursive: true, force: true })
  } catch (error) {
    await putBack(area, letterAside, paths.letter)
    await putBack(area, oldAside, paths.folder)
    throw error
  }
}

/**
 * The name of the staged folder is on the disk before anything steps aside: if it was lost with the power, and the step
 * aside was not, the commit would be taken for done, and what stepped aside for replaced.
 */
async function stepAside(area: WorkArea, { id, flushes }: Staged, from: string, aside: string): Promise<boolean> {
  if (!existsSync(from)) return false
  if (flushes) {
    // What was written by the journal may not be on the disk: it must be there if it is put back after a loss of power.
    await flushWritten(new Set([from]), area.root)
    await flushFolder(dirname(area.stagedPath(id)))
  }
  return moveIfThere(from, aside)
}

interface Staged {
  /** Of the staged folder. */
  readonly id: string
  readonly flushes: boolean
}

interface Move extends Staged {
  readonly folder: string
  /** Where an earlier folder steps aside to. */
  readonly aside: string
}

/** Says whether an earlier folder had to step aside. One of another source, or of a later claim, is put back. */
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
        // Where another worker woke late, the present commit stays at its path: a reader never misses it.
        refuseReplacing(await wholeRecord(folder), record)
        // The present commit steps aside. Where one did so before, another worker has committed in between: ours is
        // the later one, and the first to step aside is outdated.
        if (hadOld) await rm(aside, { recursive: true, force: true })
        hadOld = (await stepAside(area, { id, flushes }, folder, aside)) || hadOld
        if (hadOld) refuseReplacing(await wholeRecord(aside), record)
      } else throw error
    }
  }
}

function refuseReplacing(present: DocumentRecord | null, record: DocumentRecord): void {
  if (present === null) return
  if (!sameOwner(present, record)) throw new RecordOfOther(present.source)
  refuseEarlierClaim(record, present)
}

/** Undoes or finishes one thing that stepped aside for a commit whose process is gone. */
export async function settleAside(
  aside: WorkItem,
  area: WorkArea,
  pathOf: (item: WorkItem) => Promise<string | null>,
): Promise<void> {
  const committed = !(await isThere(area.stagedPath(workIdOf(aside.name))))
  const home = committed ? null : await pathOf(aside)
  if (home !== null) await putBack(area, aside.path, home)
  await rm(aside.path, { recursive: true, force: true })
}

/** The record of a folder that stepped aside, if the folder is whole: a removal may have been cut off half-way. */
export async function wholeRecord(folder: string): Promise<ReturnType<typeof parseRecord>> {
  const json = await readIfThere(`${folder}/${RECORD_FILE}`)
  const record = json === null ? null : parseRecord(json)
  if (record === null) return null
  const there = await Promise.all(record.files.map((file) => isThere(`${folder}/${file.name}`)))
  return there.includes(false) ? null : record
}

/** A path that is taken again, by a folder with something in it or by a file, is left to the newcomer. */
async function putBack(area: WorkArea, aside: string, home: string): Promise<void> {
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
