import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pLimit from 'p-limit'
import type { DeadLetter, DocumentRecord } from '#src/document/record.ts'
import type { StoreFiles } from './store-files.ts'

/** A record as it stands in a store; in a bucket it names the folder beside it that holds the outputs, or holds them. */
export type StoredRecord = DocumentRecord & {
  readonly folder?: string
  readonly outputs?: Readonly<Record<string, string>>
}

/** A store read from outside, through the published layout only. */
export interface StoreOutside {
  readonly records: ReadonlyMap<string, StoredRecord>
  /** Folder of the outputs of each record, below the store. */
  readonly folders: ReadonlyMap<string, string>
  /** `document.md` of each record. */
  readonly markdown: ReadonlyMap<string, string>
  readonly letters: ReadonlyMap<string, DeadLetter>
  /** Bodies of complete receipts, by id. */
  readonly receipts: ReadonlyMap<string, string>
  /** One sentence each: incomplete files, orphaned files, files that differ from their record, truncated receipts. */
  readonly torn: readonly string[]
}

/** Files that are read concurrently: each read of a bucket waits for an answer. */
const AT_ONCE = 16

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export async function readStoreOutside(files: StoreFiles): Promise<StoreOutside> {
  const torn: string[] = []
  const records = new Map<string, StoredRecord>()
  const markdown = new Map<string, string>()
  const names = await files.list('documents')
  const folders = new Map<string, string>()
  const found = await read<StoredRecord>(files, names.filter(isRecord))
  for (const [name, record] of found) {
    if (record === null) {
      torn.push(`${name} is no whole JSON`)
      continue
    }
    if (records.has(record.key)) torn.push(`${record.key} has two records`)
    records.set(record.key, record)
    folders.set(record.key, outputsOf(record, name))
  }
  await pLimit(AT_ONCE).map(found, async ([name, record]) => {
    if (record === null) return
    const outputs = await readOutputs(files, record, name, names)
    torn.push(...differences(record, outputs))
    markdown.set(record.key, outputs.get('document.md')?.toString() ?? '')
  })
  const homes = new Set(folders.values())
  const orphans = names.filter((name) => !isRecord(name) && !homes.has(dirname(name)) && !files.mayBeLeft(name))
  torn.push(...orphans.map((name) => `${name} has no record`))
  const [letters, receipts] = [await readLetters(files, torn), await readReceipts(files, torn)]
  return { records, folders, markdown, letters, receipts, torn }
}

export const isRecord = (name: string): boolean => basename(name) === 'record.json'

/** Folder of the outputs of the record at `name`. */
export const outputsOf = ({ folder = '' }: StoredRecord, name: string): string => join(dirname(name), folder)

/** The outputs of the record at `path`, by name; `names` is what the store has. */
export async function readOutputs(
  files: StoreFiles,
  record: StoredRecord,
  path: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const outputs = new Map<string, Buffer>()
  for (const [name, text] of Object.entries(record.outputs ?? {})) outputs.set(name, Buffer.from(text))
  const folder = outputsOf(record, path)
  for (const name of names.filter((one) => dirname(one) === folder && !isRecord(one))) {
    const bytes = await files.read(name)
    if (bytes !== null) outputs.set(basename(name), bytes)
  }
  return outputs
}

/** One sentence for each output that differs from the record or is missing. */
export function differences(record: StoredRecord, outputs: ReadonlyMap<string, Buffer>): readonly string[] {
  const listed = new Map(record.files.map((file) => [file.name, file]))
  const altered = [...outputs].filter(([name, bytes]) => {
    const file = listed.get(name)
    return file?.sha256 !== sha256(bytes) || file.bytes !== bytes.length
  })
  const missing = [...listed.keys()].filter((name) => !outputs.has(name))
  return [
    ...altered.map(([name]) => `${record.key}: ${name} is not what its record says`),
    ...missing.map((name) => `${record.key}: ${name} is missing`),
  ]
}

async function readLetters(files: StoreFiles, torn: string[]): Promise<ReadonlyMap<string, DeadLetter>> {
  const letters = new Map<string, DeadLetter>()
  for (const [name, letter] of await read<DeadLetter>(files, await files.list('failures'))) {
    if (letter === null) torn.push(`${name} is no whole JSON`)
    else letters.set(letter.key, letter)
  }
  return letters
}

async function readReceipts(files: StoreFiles, torn: string[]): Promise<ReadonlyMap<string, string>> {
  const receipts = new Map<string, string>()
  await pLimit(AT_ONCE).map(await files.list('receipts'), async (name) => {
    const bytes = await files.read(name)
    try {
      if (bytes !== null) receipts.set(basename(name).replace(/\.json\.gz$/, ''), gunzipSync(bytes).toString())
    } catch {
      torn.push(`${name} is no whole receipt`)
    }
  })
  return receipts
}

/** Reads JSON files; null for an incomplete one, and without those deleted meanwhile. */
async function read<T>(files: StoreFiles, names: readonly string[]): Promise<readonly (readonly [string, T | null])[]> {
  const found = await pLimit(AT_ONCE).map(names, async (name) => [name, await files.read(name)] as const)
  return found.flatMap(([name, bytes]) => (bytes === null ? [] : [[name, parseJson(bytes) as T | null] as const]))
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return null
  }
}
