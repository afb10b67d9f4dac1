import { statSync } from 'node:fs'
import { join } from 'node:path'
import { KeySet } from '#src/kit/key-set.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { isDocumentFolder } from '../document-path.ts'
import type { ExplainedNames } from '../explained-names.ts'
import { parseRecord, RECORD_FILE } from '../record-json.ts'
import { completeRecord } from './folder-commit.ts'
import { entriesIn, readInStore } from './files/folder-entries.ts'
import type { StoreFolder } from './files/make-folder.ts'
import type { WorkArea } from './files/work-area.ts'

/** Batch size: documents listed together and then read concurrently. */
const BATCH = 32

/**
 * Maximum lag of a file system's clock, in milliseconds. A change so shortly before a listing counts as a change during
 * it.
 */
const CLOCK_MS = 1_000

/**
 * Streams the folders of all documents below `root` in batches, and reads no parent folder twice. `area` throws if a
 * folder is missing because the complete store is. `onChanged` receives each folder with a rename during its listing,
 * because a name may be missing then.
 */
export async function* documentFolders(
  root: string,
  area: StoreFolder,
  signal: AbortSignal,
  onChanged?: (folder: string) => void,
): AsyncGenerator<readonly string[]> {
  const waiting = [root]
  let batch: string[] = []
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const beganAt = Date.now()
    for await (const entry of entriesIn(folder, area)) {
      if (!entry.isDirectory()) continue
      signal.throwIfAborted()
      if (isDocumentFolder(entry.name)) batch.push(join(folder, entry.name))
      else waiting.push(join(folder, entry.name))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    const changedAt = onChanged && statSync(folder, { throwIfNoEntry: false })?.mtimeMs
    if (changedAt !== undefined && changedAt > beganAt - CLOCK_MS) onChanged?.(folder)
  }
  if (batch.length > 0) yield batch
}

export interface DocumentsFolder {
  readonly root: string
  readonly area: WorkArea
  /** Folder of a record's document. */
  readonly folderOf: (record: DocumentRecord) => string
  /** Receives the names that each record explains. */
  readonly explained: ExplainedNames
}

/**
 * Streams each record once. A record whose document belongs in another folder is unreadable. Between the two renames of
 * a commit, a document is not in its folder. Its record then comes from `aside`, or follows after the listing.
 */
export async function* listedRecords(
  { root, area, folderOf, explained }: DocumentsFolder,
  signal: AbortSignal,
  onUnreadable: (folder: string) => void,
): AsyncGenerator<DocumentRecord> {
  const seen = new KeySet()
  const missed = new Set<string>()
  for await (const record of recordsAside(area)) missed.add(folderOf(record))
  const changed: string[] = []
  for await (const folders of documentFolders(root, area, signal, (folder) => changed.push(folder))) {
    const found = await Promise.all(folders.map((folder) => readInStore(join(folder, RECORD_FILE), area)))
    for (const [at, json] of found.entries()) {
      const folder = folders[at] ?? ''
      const record = json === null ? null : parseRecord(json)
      if (record !== null && folderOf(record) === folder) {
        seen.add(folder)
        explained.add(namesOf(folder, record))
        yield record
      } else if (json === null) missed.add(folder)
      else onUnreadable(folder)
    }
  }
  for (const folder of changed) {
    for await (const entry of entriesIn(folder, area)) {
      const path = join(folder, entry.name)
      if (isDocumentFolder(entry.name) && !seen.has(path)) missed.add(path)
    }
  }
  const aside = new Map<string, DocumentRecord>()
  for await (const record of recordsAside(area)) aside.set(folderOf(record), record)
  for (const folder of new Set([...missed, ...aside.keys()])) {
    if (seen.has(folder)) continue
    // By now the commit has happened, or the document was removed.
    const json = await readInStore(join(folder, RECORD_FILE), area)
    const record = json === null ? aside.get(folder) : parseRecord(json)
    if (record && folderOf(record) === folder) yield record
  }
}

/** Names that belong in the folder of a document. */
const namesOf = (folder: string, { files }: DocumentRecord): readonly string[] => [
  folder,
  RECORD_FILE,
  ...files.map(({ name }) => name),
]

async function* recordsAside(area: WorkArea): AsyncGenerator<DocumentRecord> {
  for (const aside of await area.allAside('old')) {
    const record = await completeRecord(aside)
    if (record !== null) yield record
  }
}
