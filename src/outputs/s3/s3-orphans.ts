import type { Orphan } from '#src/document/orphan.ts'
import { isDocumentFolder, letterName } from '../document-path.ts'
import { receiptIdOf, receiptPath } from '../receipt-bytes.ts'
import { parseDeadLetter, RECORD_FILE } from '../record-json.ts'
import { BAR } from './s3-bar.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { ageOf, SWEEP_AFTER_MS } from './s3-documents.ts'
import { parseStored } from './stored-record.ts'

/** Streams the orphans: objects in the folders of a store that no record, receipt or dead letter explains. */
export async function* s3Orphans(bucket: S3Bucket, signal: AbortSignal): AsyncGenerator<Orphan> {
  // The objects of one document come one after the other, and no document lies within another.
  let home = ''
  let names: string[] = []
  for await (const page of bucket.list('documents/', signal)) {
    for (const name of page) {
      const of = homeOf(name)
      if (of === null) {
        yield foreign(name, 'belongs to no document')
        continue
      }
      if (of !== home) {
        yield* inDocument(bucket, home, names)
        home = of
        names = []
      }
      names.push(name)
    }
  }
  yield* inDocument(bucket, home, names)
  yield* inReceipts(bucket, signal)
  yield* inFailures(bucket, signal)
}

const foreign = (path: string, reason: string): Orphan => ({ kind: 'foreign', path, reason })

/** Up to and with the slash after a document's own segment. */
function homeOf(name: string): string | null {
  const segments = name.split('/')
  const at = segments.findIndex((segment, index) => index > 0 && isDocumentFolder(segment))
  return at < 0 || at === segments.length - 1 ? null : `${segments.slice(0, at + 1).join('/')}/`
}

/** A folder that a commit in flight may just have made is left out: the record comes last. */
async function* inDocument(bucket: S3Bucket, home: string, names: readonly string[]): AsyncGenerator<Orphan> {
  if (names.length === 0) return
  const object = await bucket.get(home + RECORD_FILE)
  const stored = object === null ? null : parseStored(object.bytes)
  const objects = stored?.outputs === null ? stored.record.files : []
  const listed = new Set(objects.map(({ name }) => `${home}${stored?.folder}/${name}`))
  for (const name of names) {
    if (name === home + RECORD_FILE) {
      if (object !== null && stored === null) yield foreign(name, 'is half a record: its document counts as not done')
    } else if (!listed.has(name) && !(ageOf(name.slice(home.length)) < SWEEP_AFTER_MS)) {
      yield foreign(name, 'is in no record')
    }
  }
}

async function* inReceipts(bucket: S3Bucket, signal: AbortSignal): AsyncGenerator<Orphan> {
  for await (const names of bucket.list('receipts/', signal)) {
    for (const name of names) {
      const id = receiptIdOf(name.slice(name.lastIndexOf('/') + 1))
      if (id === null || `receipts/${receiptPath(id)}` !== name) yield foreign(name, 'is no receipt')
    }
  }
}

async function* inFailures(bucket: S3Bucket, signal: AbortSignal): AsyncGenerator<Orphan> {
  for await (const names of bucket.list('failures/', signal)) {
    for (const name of names.filter((one) => one !== BAR)) {
      const object = await bucket.get(name)
      // Gone since it was listed: its document came out well.
      if (object === null) continue
      const letter = parseDeadLetter(object.bytes)
      if (letter === null) yield foreign(name, 'is no whole dead letter')
      else if (`failures/${letterName(letter.key)}` !== name) yield foreign(name, 'is the dead letter of another name')
    }
  }
}
