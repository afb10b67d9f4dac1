import { createHash } from 'node:crypto'
import { contentHash, receiptId, recipeHash, sourceKey, version } from '#src/document/ids.ts'
import type { ReceiptId } from '#src/document/ids.ts'
import type { DeadLetter, DocumentRecord } from '#src/document/record.ts'

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export function outputs(texts: Readonly<Record<string, string>>): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
}

/** A true record for these files. */
export function recordOf(
  key: string,
  files: ReadonlyMap<string, Uint8Array>,
  changes: Partial<DocumentRecord> = {},
): DocumentRecord {
  return {
    schema: 1,
    source: 'file:///archive/',
    key: sourceKey(key),
    version: version('1-2-3'),
    contentHash: contentHash(sha256(key)),
    bytes: 1000,
    recipe: { mode: 'auto' },
    recipeHash: recipeHash('0123456789abcdef'),
    receipt: null,
    outcome: 'done',
    problems: [],
    pages: { parsed: 1, total: 1, truncated: false },
    spans: { unit: null, dropped: 0 },
    cost: { credits: 1, basis: 'reported' },
    requestId: 'request-1',
    service: 'engine',
    attempts: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:00:01.000Z',
    files: [...files].map(([name, bytes]) => ({ name, bytes: bytes.length, sha256: sha256(bytes) })),
    expiring: [],
    ...changes,
  }
}

export function letterOf(key: string, changes: Partial<DeadLetter> = {}): DeadLetter {
  return {
    schema: 1,
    source: 'file:///archive/',
    key: sourceKey(key),
    version: version('1-2-3'),
    contentHash: null,
    recipeHash: null,
    failure: { code: 'corrupt', stage: 'read', message: `${JSON.stringify(key)} is cut off.` },
    attempts: 1,
    firstAt: '2026-01-01T00:00:00.000Z',
    lastAt: '2026-01-01T00:00:01.000Z',
    ...changes,
  }
}

export function receiptOf(text: string): ReceiptId {
  return receiptId(contentHash(sha256(text)), recipeHash('0123456789abcdef'))
}

export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
