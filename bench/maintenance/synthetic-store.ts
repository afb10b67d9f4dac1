import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { contentHash, receiptId, recipeHash, sourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { documentPath, FOLDER_MAX_BYTES } from '#src/outputs/document-path.ts'
import { receiptPath } from '#src/outputs/receipt-bytes.ts'
import { fileVersion } from '#src/sources/folder/file-version.ts'

/** Documents in one folder of the source. */
const PER_FOLDER = 1_000

const PATH_RULES = { folds: false, maxBytes: FOLDER_MAX_BYTES }

interface Template {
  readonly record: DocumentRecord
  readonly outputs: ReadonlyMap<string, Uint8Array>
  readonly receipt: Uint8Array
}

/** What a real run left of the document `key`; the copies are made of it. */
export function templateOf(out: string, key: string): Template {
  const folder = join(out, 'documents', documentPath(sourceKey(key), PATH_RULES))
  const record = JSON.parse(readFileSync(join(folder, 'record.json'), 'utf8')) as DocumentRecord
  if (record.receipt === null) throw new Error(`the record of ${key} names no receipt`)
  return {
    record,
    outputs: new Map(record.files.map(({ name }) => [name, readFileSync(join(folder, name))])),
    receipt: readFileSync(join(out, 'receipts', receiptPath(record.receipt))),
  }
}

/** Makes the copies `from` to `to` in source and store, as a run leaves them: each with a receipt of its own. */
export function addDocuments(source: string, out: string, template: Template, from: number, to: number): void {
  const made = new Set<string>()
  const folderOf = (path: string): string => {
    if (!made.has(path)) mkdirSync(path, { recursive: true })
    made.add(path)
    return path
  }
  for (let number = from; number < to; number++) {
    const parent = `folder ${Math.floor(number / PER_FOLDER)}`
    const key = sourceKey(`${parent}/${number}.html`)
    const file = join(folderOf(join(source, parent)), `${number}.html`)
    const content = `<!doctype html><title>${number}</title><p>${number}</p>`
    writeFileSync(file, content)
    const hash = contentHash(createHash('sha256').update(content).digest('hex'))
    const receipt = receiptId(hash, recipeHash(template.record.recipeHash), template.record.parser?.class)
    const version = fileVersion(statSync(file, { bigint: true }))
    const record = { ...template.record, key, version, contentHash: hash, bytes: content.length, receipt }
    const folder = folderOf(join(out, 'documents', documentPath(key, PATH_RULES)))
    made.delete(folder)
    for (const [name, bytes] of template.outputs) writeFileSync(join(folder, name), bytes)
    writeFileSync(join(folder, 'record.json'), `${JSON.stringify(record, null, 2)}\n`)
    folderOf(join(out, 'receipts', receipt.slice(0, 2)))
    writeFileSync(join(out, 'receipts', receiptPath(receipt)), template.receipt)
  }
}
