import { createHash } from 'node:crypto'
import { readdir, readFile, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { DeadLetter, DocumentRecord } from '#src/document/record.ts'

export interface StoreView {
  /** By source key. */
  readonly records: ReadonlyMap<string, DocumentRecord>
  readonly letters: ReadonlyMap<string, DeadLetter>
  /** Folder of each document, absolute. */
  readonly folders: ReadonlyMap<string, string>
  /** Number of receipts. */
  readonly receipts: number
}

/**
 * Reads a folder store from the outside, with nothing of our own code, and checks Law 3 as a reader would: every file
 * that a record lists is there, whole, and nothing stands beside them.
 */
export async function readStore(out: string): Promise<StoreView> {
  const documents = await filesBelow(join(out, 'documents'))
  const records = new Map<string, DocumentRecord>()
  const folders = new Map<string, string>()
  for (const path of documents.filter((file) => file.endsWith('/record.json'))) {
    const record = JSON.parse(await readFile(path, 'utf8')) as DocumentRecord
    if (records.has(record.key)) throw new Error(`two records for ${record.key}`)
    records.set(record.key, record)
    folders.set(record.key, dirname(path))
    await checkFiles(record, dirname(path))
  }
  const homes = new Set(folders.values())
  const orphans = documents.filter((file) => !homes.has(dirname(file)))
  if (orphans.length > 0)
    throw new Error(`files of no document: ${orphans.map((file) => relative(out, file)).join(', ')}`)
  const letters = new Map<string, DeadLetter>()
  for (const path of await filesBelow(join(out, 'failures'))) {
    const letter = JSON.parse(await readFile(path, 'utf8')) as DeadLetter
    letters.set(letter.key, letter)
  }
  const receipts = (await filesBelow(join(out, 'receipts'))).length
  return { records, letters, folders, receipts }
}

/** Paths of the receipts of a folder store. */
export const receipts = (out: string): Promise<string[]> => filesBelow(join(out, 'receipts'))

/** As if its receipts had been saved a month ago. */
export async function savedLongAgo(out: string): Promise<void> {
  const longAgo = new Date(Date.now() - 30 * 24 * 3_600_000)
  for (const path of await receipts(out)) await utimes(path, longAgo, longAgo)
}

async function checkFiles(record: DocumentRecord, folder: string): Promise<void> {
  const listed = new Map(record.files.map((file) => [file.name, file]))
  for (const name of await readdir(folder)) {
    if (name === 'record.json') continue
    const file = listed.get(name)
    if (file === undefined) throw new Error(`${record.key}: ${name} is not in the record`)
    const bytes = await readFile(join(folder, name))
    if (bytes.length !== file.bytes)
      throw new Error(`${record.key}: ${name} is ${bytes.length} bytes, not ${file.bytes}`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (sha256 !== file.sha256) throw new Error(`${record.key}: ${name} is not what the record says`)
    listed.delete(name)
  }
  if (listed.size > 0) throw new Error(`${record.key}: ${[...listed.keys()].join(', ')} missing`)
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const dirents = await readdir(folder, { recursive: true, withFileTypes: true })
    return dirents.filter((dirent) => dirent.isFile()).map((dirent) => join(dirent.parentPath, dirent.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
