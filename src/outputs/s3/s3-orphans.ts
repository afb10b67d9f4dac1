import { mapInOrder } from '#src/kit/map-in-order.ts'
import type { Orphan } from '#src/document/orphan.ts'
import { isDocumentFolder, letterName } from '../document-path.ts'
import { receiptIdOf, receiptPath } from '../receipt-bytes.ts'
import { parseDeadLetter, RECORD_FILE } from '../record-json.ts'
import type { ExplainedNames } from '../explained-names.ts'
import type { Objects } from './objects/objects.ts'
import type { PackedObjects } from './packs/packed-objects.ts'
import type { StoreObjects } from './packs/store-objects.ts'
import { ageOf, SWEEP_AFTER_MS } from './s3-documents.ts'
import { parseStored } from './stored-record.ts'

/** Number of documents whose records are read concurrently. */
const AT_ONCE = 32

/** Streams the orphans: objects in the folders of a store that no record, receipt or dead letter explains. */
export async function* s3Orphans(
  objects: StoreObjects,
  explained: ExplainedNames,
  signal: AbortSignal,
): AsyncGenerator<Orphan> {
  const found = mapInOrder(documents(objects, signal), AT_ONCE, async ({ home, names }) => {
    if (home === null) return names.map((name) => foreign(name, 'belongs to no document'))
    return explained.has(names) ? [] : inDocument(objects, home, names)
  })
  for await (const orphans of found) yield* orphans
  yield* inReceipts(objects, signal)
  yield* inFailures(objects, signal)
  if (objects.packs !== null) yield* besidePacks(objects.packs, signal)
}

interface Listed {
  /** Null for names that belong to no document. */
  readonly home: string | null
  readonly names: readonly string[]
}

/** The objects of one document are consecutive, and no document is inside another. */
async function* documents(objects: Objects, signal: AbortSignal): AsyncGenerator<Listed> {
  let home: string | null = null
  let names: string[] = []
  for await (const page of objects.list('documents/', signal)) {
    for (const name of page) {
      const of = homeOf(name)
      if (of !== home && names.length > 0) {
        yield { home, names }
        names = []
      }
      home = of
      names.push(name)
    }
  }
  if (names.length > 0) yield { home, names }
}

const foreign = (path: string, reason: string): Orphan => ({ kind: 'foreign', path, reason })

/** Ends with the slash after a document's own segment. */
function homeOf(name: string): string | null {
  const segments = name.split('/')
  const at = segments.findIndex((segment, index) => index > 0 && isDocumentFolder(segment))
  return at < 0 || at === segments.length - 1 ? null : `${segments.slice(0, at + 1).join('/')}/`
}

/** Skips a folder that a commit in flight may have just created: the record comes last. */
async function inDocument(objects: Objects, home: string, names: readonly string[]): Promise<readonly Orphan[]> {
  const object = await objects.get(home + RECORD_FILE)
  const stored = object === null ? null : parseStored(object.bytes)
  const files = stored?.outputs === null ? stored.record.files : []
  const listed = new Set(files.map(({ name }) => `${home}${stored?.folder}/${name}`))
  return names.flatMap((name) => {
    if (name === home + RECORD_FILE) {
      const isHalf = object !== null && stored === null
      return isHalf ? [foreign(name, 'is an incomplete record: its document counts as lost')] : []
    }
    const isYoung = ageOf(name.slice(home.length)) < SWEEP_AFTER_MS
    return listed.has(name) || isYoung ? [] : [foreign(name, 'is listed in no record')]
  })
}

async function* inReceipts(objects: Objects, signal: AbortSignal): AsyncGenerator<Orphan> {
  for await (const names of objects.list('receipts/', signal)) {
    for (const name of names) {
      const id = receiptIdOf(name.slice(name.lastIndexOf('/') + 1))
      if (id === null || `receipts/${receiptPath(id)}` !== name) yield foreign(name, 'is not a receipt')
    }
  }
}

async function* inFailures(objects: Objects, signal: AbortSignal): AsyncGenerator<Orphan> {
  for await (const names of objects.list('failures/', signal)) {
    for (const name of names) {
      const object = await objects.get(name)
      // Gone since the listing: its document succeeded.
      if (object === null) continue
      const letter = parseDeadLetter(object.bytes)
      if (letter === null) yield foreign(name, 'is an incomplete dead letter')
      else if (`failures/${letterName(letter.key)}` !== name) yield foreign(name, 'is a dead letter under a wrong name')
    }
  }
}

/** Skips a recently written object: the pack that names it follows. */
async function* besidePacks(packs: PackedObjects, signal: AbortSignal): AsyncGenerator<Orphan> {
  for await (const { name, modifiedAt } of packs.unnamedLarge(signal)) {
    if (Date.now() - modifiedAt > SWEEP_AFTER_MS) yield foreign(name, 'is listed in no pack')
  }
}
