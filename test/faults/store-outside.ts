import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { DeadLetter, DocumentRecord } from '#src/document/record.ts'

/** A folder store as somebody sees it who knows nothing but the published layout. */
export interface StoreOutside {
  readonly records: ReadonlyMap<string, DocumentRecord>
  readonly folders: ReadonlyMap<string, string>
  readonly letters: ReadonlyMap<string, DeadLetter>
  /** Bodies of whole receipts, by id. */
  readonly receipts: ReadonlyMap<string, string>
  /** One sentence each: half files, files of no record, files that differ from their record, cut receipts. */
  readonly torn: readonly string[]
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export async function readStoreOutside(out: string): Promise<StoreOutside> {
  const torn: string[] = []
  const records = new Map<string, DocumentRecord>()
  const folders = new Map<string, string>()
  const files = await filesBelow(join(out, 'documents'))
  for (const path of files.filter((file) => file.endsWith('/record.json'))) {
    const record = parseJson(await readFile(path)) as DocumentRecord | null
    if (record === null) {
      torn.push(`${relative(out, path)} is no whole JSON`)
      continue
    }
    if (records.has(record.key)) torn.push(`${record.key} has two records`)
    records.set(record.key, record)
    folders.set(record.key, dirname(path))
    torn.push(...(await differences(record, dirname(path))))
  }
  const homes = new Set(folders.values())
  torn.push(...files.filter((file) => !homes.has(dirname(file))).map((file) => `${relative(out, file)} has no record`))
  return { records, folders, letters: await readLetters(out, torn), receipts: await readReceipts(out, torn), torn }
}

/** One sentence for each file that is not as the record beside it says. */
export async function differences(record: DocumentRecord, folder: string): Promise<string[]> {
  const found: string[] = []
  const listed = new Map(record.files.map((file) => [file.name, file]))
  for (const name of (await readdir(folder)).filter((file) => file !== 'record.json')) {
    const bytes = await readFile(join(folder, name))
    if (listed.get(name)?.sha256 !== sha256(bytes)) found.push(`${record.key}: ${name} is not what its record says`)
    listed.delete(name)
  }
  return [...found, ...[...listed.keys()].map((name) => `${record.key}: ${name} is missing`)]
}

async function readLetters(out: string, torn: string[]): Promise<ReadonlyMap<string, DeadLetter>> {
  const letters = new Map<string, DeadLetter>()
  for (const path of await filesBelow(join(out, 'failures'))) {
    const letter = parseJson(await readFile(path)) as DeadLetter | null
    if (letter === null) torn.push(`${relative(out, path)} is no whole JSON`)
    else letters.set(letter.key, letter)
  }
  return letters
}

async function readReceipts(out: string, torn: string[]): Promise<ReadonlyMap<string, string>> {
  const receipts = new Map<string, string>()
  for (const path of await filesBelow(join(out, 'receipts'))) {
    try {
      receipts.set(path.replace(/^.*\//, '').replace(/\.json\.gz$/, ''), gunzipSync(await readFile(path)).toString())
    } catch {
      torn.push(`${relative(out, path)} is no whole receipt`)
    }
  }
  return receipts
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return null
  }
}

export async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
