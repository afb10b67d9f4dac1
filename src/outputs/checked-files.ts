import type { DocumentRecord } from '#src/document/record.ts'
import { RECORD_FILE } from './record-json.ts'

/** Plain names only: no file leaves the document's folder or replaces the record. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

export function isOutputName(name: string): boolean {
  return FILE_NAME.test(name) && name !== RECORD_FILE
}

/** Throws if a record contradicts the files committed with it. The cause is a bug, never the document. */
export function checkFiles(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): void {
  for (const name of files.keys()) {
    if (!isOutputName(name)) throw new Error(`${JSON.stringify(name)} is not a name for an output`)
  }
  const same =
    record.files.length === files.size && record.files.every((file) => files.get(file.name)?.length === file.bytes)
  if (!same) throw new Error(`The record of ${JSON.stringify(record.key)} does not list the files committed with it`)
}
