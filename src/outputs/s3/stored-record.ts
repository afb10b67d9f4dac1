import { isUtf8 } from 'node:buffer'
import type { DocumentRecord } from '#src/document/record.ts'
import { parseRecord } from '../record-json.ts'

/** Outputs by name, as text. */
export type InlineOutputs = Readonly<Record<string, string>>

/** Content of `record.json` in a bucket: the record, and the location of its outputs. */
export interface StoredRecord {
  readonly record: DocumentRecord
  /** Commit id, and name of the folder of separate outputs. */
  readonly folder: string
  /** Null if the outputs are separate objects. */
  readonly outputs: InlineOutputs | null
}

/** Outputs as text if their sum is at most `maxBytes`; null if they are separate objects. */
export function inlineOutputs(files: ReadonlyMap<string, Uint8Array>, maxBytes: number): InlineOutputs | null {
  const all = [...files]
  const bytes = all.reduce((sum, [, file]) => sum + file.length, 0)
  // A file that is not UTF-8 would not survive as text.
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

/** Null for a name that the record does not contain. */
export function inlineOutput(outputs: InlineOutputs, name: string): Buffer | null {
  const text = Object.hasOwn(outputs, name) ? outputs[name] : undefined
  return text === undefined ? null : Buffer.from(text)
}
