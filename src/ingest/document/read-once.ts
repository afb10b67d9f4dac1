import { createHash } from 'node:crypto'
import { hashThrough } from '#src/kit/hash-through.ts'
import { type ContentHash, contentHash, type SourceKey, type Version } from '#src/document/ids.ts'
import { SNIFF_BYTES } from '@sluice/contract'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'
import type { Failure } from '#src/document/failure.ts'

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

/** A document as a listing or a job names it. */
interface Listed {
  readonly key: SourceKey
  readonly version: Version
}

/** Opens a document to be worked on. One that the service fetches by itself is not asked for here. */
export async function openListed(
  source: Source,
  { key, version }: Listed,
  signal: AbortSignal,
): Promise<OpenedDocument | Failure> {
  const address = source.addressOf?.(key)
  return address === undefined ? source.open(key, signal) : standIn(address, version)
}

/**
 * Stands for a document whose bytes only the service sees. Its address and the version that was listed are all its
 * content here, so that everything named by content is named by them: while neither changes, an answer that was bought
 * is found again (Law 2), and a new version is a new purchase.
 */
function standIn(address: string, version: Version): OpenedDocument {
  const content = Buffer.from(`sluice: document at\0${address}\0${version}`)
  return {
    kind: 'opened',
    version,
    bytes: content.length,
    address,
    async *read() {
      yield content
    },
    unchanged: async () => true,
    [Symbol.asyncDispose]: async () => undefined,
  }
}
