import { type DeadLetter, type DocumentRecord, RECORD_SCHEMA } from '#src/document/record.ts'
import { StoreRefused } from '#src/document/store-refused.ts'

/** Commit marker, written at the end of every commit. A document without it is not done. */
export const RECORD_FILE = 'record.json'

export function toJson(value: DocumentRecord | DeadLetter): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/**
 * Null for a damaged record: it counts as missing, and the worker recreates it. Throws `StoreRefused` for a record of a
 * later release.
 */
export function parseRecord(json: Buffer): DocumentRecord | null {
  return parse(json) as DocumentRecord | null
}

/** Like `parseRecord`. */
export function parseDeadLetter(json: Buffer): DeadLetter | null {
  return parse(json) as DeadLetter | null
}

function parse(json: Buffer): object | null {
  let value: unknown
  try {
    value = JSON.parse(json.toString('utf8'))
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !('schema' in value) || !('key' in value)) return null
  if (typeof value.schema !== 'number' || typeof value.key !== 'string') return null
  if (value.schema > RECORD_SCHEMA) {
    const key = JSON.stringify(value.key)
    throw new StoreRefused(
      `the record of ${key} has schema ${value.schema}, written by a later release: update Sluice.`,
    )
  }
  return value
}
