import { isUtf8 } from 'node:buffer'
import type { DocumentRecord } from '#src/document/record.ts'
import { parseRecord } from '../record-json.ts'

/** Outputs by name, as text. */
export type InlineOutputs = Readonly<Record<string, string>>

/** What `record.json` of a bucket holds beside the record. */
export interface StoredRecord {
  readonly record: DocumentRecord
  /** Commit id, and name of the folder of the outputs where they are objects of their own. */
  readonly folder: string
  /** Null where the outputs are objects of their own. */
  readonly outputs: InlineOutputs | null
}

/** The outputs as text where they take no more than `maxBytes` together; null where they are objects of their own. */
export function inlineOutputs(files: ReadonlyMap<string, Uint8Array>, maxBytes: number): InlineOutputs | null {
  const all = [...files]
  const bytes = all.reduce((sum, [, file]) => sum + file.length, 0)
  // A file that is not UTF-8 would not come back as it was.
  if (bytes > maxBytes || !all.every(([, file]) => isUtf8(file))) return null
  return Object.fromEntries(all.map(([name, file]) => [name, Buffer.from(file).toString()]))
}

export function storedJson({ record, folder, outputs }: StoredRecord): Buffer {
  return Buffer.from(`${JSON.stringify({ ...record, folder, ...(outputs === null ? {} : { outputs }) }, null, 2)}\n`)
}

export function parseStored(json: Buffer): StoredRecord | null {
  const parsed = parseRecord(json)
  if (parsed === null) return null
  const { folder, outputs, ...record } = parsed as DocumentRecord & {
    readonly folder?: unknown
    readonly outputs?: InlineOutputs
  }
  return typeof folder === 'string' ? { record, folder, outputs: outputs ?? null } : null
}

/** Null for a name that the record does not hold. */
export function inlineOutput(outputs: InlineOutputs, name: string): Buffer | null {
  const text = Object.hasOwn(outputs, name) ? outputs[name] : undefined
  return text === undefined ? null : Buffer.from(text)
}
