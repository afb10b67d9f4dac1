import { createHash } from 'node:crypto'
import { hashThrough } from '#src/document/hash-through.ts'
import { type ContentHash, contentHash } from '#src/document/ids.ts'
import { SNIFF_BYTES } from '#src/document/sniff.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type OpenedDocument } from '#src/ports/source.ts'

/** A document up to this size is kept while it waits, so that it is read from its source only once. */
export const HELD_BYTES = 256 * 1024

export interface ReadDocument {
  readonly contentHash: ContentHash
  readonly bytes: number
  /** The first bytes, for `signatureOf`. */
  readonly head: Buffer
  /** All bytes again, in order; of a large document a second pass over the source that checks itself. */
  readonly reread: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** Reads a document's bytes once: hashes all, keeps the head, and the whole when it is small. */
export async function readOnce(opened: OpenedDocument, signal: AbortSignal): Promise<ReadDocument> {
  const hash = createHash('sha256')
  const small = opened.bytes <= HELD_BYTES
  const kept = Buffer.allocUnsafeSlow(small ? opened.bytes : SNIFF_BYTES)
  let bytes = 0
  for await (const chunk of hashThrough(opened.read(signal), hash)) {
    if (bytes < kept.length) kept.set(chunk.subarray(0, kept.length - bytes), bytes)
    bytes += chunk.length
  }
  if (bytes !== opened.bytes) throw new DocumentChanged(`${opened.bytes} bytes were announced, ${bytes} were read`)
  const digest = hash.digest('hex')
  return {
    contentHash: contentHash(digest),
    bytes,
    head: kept.subarray(0, SNIFF_BYTES),
    reread: (again) => (small ? once(kept) : samePass(opened, digest, again)),
  }
}

async function* once(whole: Buffer): AsyncIterable<Uint8Array> {
  yield whole
}

/** A second pass that must give the bytes of the first: what is uploaded is what was hashed. */
async function* samePass(opened: OpenedDocument, digest: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  yield* hashThrough(opened.read(signal), hash)
  if (hash.digest('hex') !== digest) throw new DocumentChanged('its bytes changed between hashing and upload')
}
