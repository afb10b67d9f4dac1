import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { MANIFEST_FILE } from '#src/document/store-manifest.ts'
import type { Orphan } from '#src/document/orphan.ts'
import { documentPath, isDocumentFolder, letterName, type PathRules } from '../document-path.ts'
import type { ExplainedNames } from '../explained-names.ts'
import { isOneOf, isThere, readIfThere } from '../file-system.ts'
import { allEntriesIn } from './files/folder-entries.ts'
import { receiptPath, receiptIdOf } from '../receipt-bytes.ts'
import { parseDeadLetter, parseRecord, RECORD_FILE } from '../record-json.ts'
import type { WorkArea } from './files/work-area.ts'

/** Grace period in milliseconds: a writer creates a folder shortly before its content. */
const EMPTY_AFTER_MS = 60_000

/** Number of document folders read concurrently. */
const AT_ONCE = 16

const OWN_NAMES: readonly string[] = [
  'documents',
  'receipts',
  'failures',
  'changes',
  'contexts',
  '.sluice',
  MANIFEST_FILE,
]

export interface OrphansOptions {
  readonly root: string
  readonly area: WorkArea
  readonly rules: PathRules
  readonly explained: ExplainedNames
}

/** Streams the orphans: files in the folder of a store that are not part of it. Paths are relative to `root`. */
export async function* folderOrphans(
  { root, area, rules, explained }: OrphansOptions,
  signal: AbortSignal,
): AsyncGenerator<Orphan> {
  for (const { name } of await allEntriesIn(root, area)) {
    if (!OWN_NAMES.includes(name)) yield { kind: 'beside', path: name, reason: 'is not part of the store' }
  }
  const { asides, staged } = await area.leftovers()
  for (const { name } of asides) yield { ...LEFTOVER, path: `.sluice/aside/${name}` }
  for (const { name } of staged) yield { ...LEFTOVER, path: `.sluice/staging/${name}` }
  yield* inDocuments({ root, area, rules, explained }, '', signal)
  yield* inReceipts({ root, area }, signal)
  yield* inFailures({ root, area }, signal)
}

const LEFTOVER = { kind: 'leftover', reason: 'was left by a process that ended in the middle of a write' } as const

const foreign = (path: string, reason: string): Orphan => ({ kind: 'foreign', path, reason })

/** `below`: the folder's path below `documents/`, empty or with a slash at its end. */
async function* inDocuments(at: OrphansOptions, below: string, signal: AbortSignal): AsyncGenerator<Orphan> {
  const { root, area } = at
  const folder = `documents/${below}`
  const entries = (await allEntriesIn(join(root, folder), area)).map((entry) => ({
    name: entry.name,
    isFolder: entry.isDirectory(),
  }))
  const inspected = mapInOrder(entries, AT_ONCE, async ({ name, isFolder }) => {
    signal.throwIfAborted()
    const path = below + name
    if (!isFolder) return [foreign(folder + name, 'is a file where only document folders belong')]
    return isDocumentFolder(name) ? seenTwice(() => inDocument(at, path)) : path
  })
  for await (const found of inspected) {
    if (typeof found === 'string') yield* inDocuments(at, `${found}/`, signal)
    else yield* found
  }
  if (entries.length === 0 && below !== '' && (await idleMs(join(root, folder))) > EMPTY_AFTER_MS) {
    yield foreign(folder.slice(0, -1), 'is an empty folder')
  }
}

/** A new version may replace a document between two listings, so only items in both are orphans. */
async function seenTwice(list: () => Promise<readonly Orphan[]>): Promise<readonly Orphan[]> {
  const first = await list()
  if (first.length === 0) return first
  const again = new Set((await list()).map(({ path }) => path))
  return first.filter(({ path }) => again.has(path))
}

/** `of`: the path of its folder below `documents/`. */
async function inDocument({ root, area, rules, explained }: OrphansOptions, of: string): Promise<readonly Orphan[]> {
  const path = `documents/${of}`
  const names = (await allEntriesIn(join(root, path), area)).map(({ name }) => name)
  if (explained.has([join(root, path), ...names])) return []
  const json = await readIfThere(join(root, path, RECORD_FILE))
  // During a replacement by the next version, the folder is missing for a moment.
  if (json === null && !(await isThere(join(root, path)))) return []
  const record = json === null ? null : parseRecord(json)
  if (record !== null && documentPath(record.key, rules) !== of) {
    return [foreign(path, `holds the record of ${JSON.stringify(record.key)}, which belongs in another folder`)]
  }
  if (record === null) {
    const what = json === null ? 'has no record.json' : 'has an incomplete record.json'
    return [foreign(path, `${what}: its document counts as lost`)]
  }
  const listed = new Set([RECORD_FILE, ...record.files.map(({ name }) => name)])
  return names.filter((name) => !listed.has(name)).map((name) => foreign(`${path}/${name}`, 'is listed in no record'))
}

type InStore = Pick<OrphansOptions, 'root' | 'area'>

async function* inReceipts({ root, area }: InStore, signal: AbortSignal): AsyncGenerator<Orphan> {
  for (const prefix of await allEntriesIn(join(root, 'receipts'), area)) {
    const path = `receipts/${prefix.name}`
    if (!prefix.isDirectory()) yield foreign(path, 'is not a receipt')
    else {
      for (const { name } of await allEntriesIn(join(root, path), area)) {
        signal.throwIfAborted()
        const id = receiptIdOf(name)
        if (id === null || receiptPath(id) !== `${prefix.name}/${name}`)
          yield foreign(`${path}/${name}`, 'is not a receipt')
      }
    }
  }
}

async function* inFailures({ root, area }: InStore, signal: AbortSignal): AsyncGenerator<Orphan> {
  for (const entry of await allEntriesIn(join(root, 'failures'), area)) {
    signal.throwIfAborted()
    const path = `failures/${entry.name}`
    const json = entry.isFile() ? await readIfThere(join(root, path)) : Buffer.alloc(0)
    // Gone since the listing: its document succeeded.
    if (json === null) continue
    const letter = parseDeadLetter(json)
    if (letter === null) yield foreign(path, 'is an incomplete dead letter')
    else if (letterName(letter.key) !== entry.name) yield foreign(path, 'is a dead letter under a wrong name')
  }
}

async function idleMs(folder: string): Promise<number> {
  try {
    return Date.now() - (await stat(folder)).mtimeMs
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return 0
    throw error
  }
}
