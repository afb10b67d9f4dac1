import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { version } from '#src/document/ids.ts'
import { HELD_BYTES, readOnce } from '#src/ingest/document/read-once.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type OpenedDocument } from '#src/ports/source.ts'

const never = new AbortController().signal

/** A document whose bytes at each pass are given, to play one that is written to between two passes. */
function documentOf(...passes: readonly Buffer[]): OpenedDocument & { readonly reads: () => number } {
  let reads = 0
  return {
    kind: 'opened',
    version: version('1'),
    bytes: passes[0]?.length ?? 0,
    reads: () => reads,
    async *read() {
      const bytes = passes[Math.min(reads++, passes.length - 1)] ?? Buffer.alloc(0)
      for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024)
    },
    unchanged: async () => true,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const collected: Uint8Array[] = []
  for await (const chunk of chunks) collected.push(chunk)
  return collected
}
const all = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => Buffer.concat(await collect(chunks))
const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

describe('the document reader', () => {
  test('reads a small document once', async () => {
    const bytes = Buffer.alloc(HELD_BYTES, 'a')
    const document = documentOf(bytes)
    const read = await readOnce(document, never)
    expect(read.contentHash).toBe(sha(bytes))
    expect(await all(read.reread(never))).toEqual(bytes)
    expect(document.reads()).toBe(1)
  })

  test('keeps only the head of a large document and reads it again for the upload', async () => {
    const bytes = Buffer.alloc(HELD_BYTES + 1, 'b')
    const document = documentOf(bytes)
    const read = await readOnce(document, never)
    expect(read.head).toHaveLength(4096)
    expect(await all(read.reread(never))).toEqual(bytes)
    expect(document.reads()).toBe(2)
  })

  test('never uploads bytes other than the hashed ones', async () => {
    const before = Buffer.alloc(HELD_BYTES + 1, 'c')
    const after = Buffer.alloc(HELD_BYTES + 1, 'd')
    const read = await readOnce(documentOf(before, after), never)
    await expect(all(read.reread(never))).rejects.toThrow(DocumentChanged)
  })

  test('detects a file shorter than announced', async () => {
    const document = { ...documentOf(Buffer.alloc(10)), bytes: 11 }
    await expect(readOnce(document, never)).rejects.toThrow('the source announced 11 bytes and sent 10')
  })
})
