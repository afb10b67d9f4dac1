import { createHash } from 'node:crypto'
import { hashThrough } from '#src/kit/hash-through.ts'
import { type ContentHash, contentHash, contentVersion, type SourceKey, type Version } from '#src/document/ids.ts'
import { SNIFF_BYTES } from '@sluice/contract'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'
import type { Failure } from '#src/document/failure.ts'

/**
 * Threshold in bytes: a smaller document stays in memory while it waits, so the worker reads it from its source once.
 */
export const HELD_BYTES = 256 * 1024

export interface ReadDocument {
  readonly contentHash: ContentHash
  readonly bytes: number
  /** The first bytes, for `signatureOf`. */
  readonly head: Buffer
  /** Streams all bytes again, in order. For a large document this is a second, verified pass over the source. */
  readonly reread: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** Reads a document's bytes once: hashes all, and buffers the head, or a small document completely. */
export async function readOnce(opened: OpenedDocument, signal: AbortSignal): Promise<ReadDocument> {
  const hash = createHash('sha256')
  const small = opened.bytes <= HELD_BYTES
  const kept = Buffer.allocUnsafeSlow(small ? opened.bytes : SNIFF_BYTES)
  let bytes = 0
  for await (const chunk of hashThrough(opened.read(signal), hash)) {
    if (bytes < kept.length) kept.set(chunk.subarray(0, kept.length - bytes), bytes)
    bytes += chunk.length
  }
  if (bytes !== opened.bytes) throw new DocumentChanged(`the source announced ${opened.bytes} bytes and sent ${bytes}`)
  const digest = hash.digest('hex')
  return {
    contentHash: contentHash(digest),
    bytes,
    head: kept.subarray(0, SNIFF_BYTES),
    reread: (again) => (small ? oneChunk(kept) : verifiedPass(opened, digest, again)),
  }
}

async function* oneChunk(whole: Buffer): AsyncIterable<Uint8Array> {
  yield whole
}

/** Second pass that verifies the hash of the first: the uploaded bytes are the hashed ones. */
async function* verifiedPass(opened: OpenedDocument, digest: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  yield* hashThrough(opened.read(signal), hash)
  if (hash.digest('hex') !== digest) throw new DocumentChanged('its bytes changed between hashing and upload')
}

/** A document with the name in a listing or a job. */
interface Listed {
  readonly key: SourceKey
  readonly version: Version
}

/** Opens a document for work. If the service fetches it, this process requests nothing here. */
export async function openListed(
  source: Source,
  { key, version }: Listed,
  signal: AbortSignal,
): Promise<OpenedDocument | Failure> {
  const address = source.addressOf?.(key)
  if (address !== undefined) return openByAddress(address, version)
  const opened = await source.open(key, signal)
  // The listed version also holds the validators of its server.
  const isListed = 'read' in opened && opened.version !== version && opened.version === contentVersion(version)
  return isListed ? { ...opened, version } : opened
}

/**
 * Substitute for a document whose bytes only the service sees. Its address and its listed version are its content, and
 * all hashes derive from them. While neither changes, a run finds the bought answer again (Law 2). A new version is a
 * new purchase.
 */
function openByAddress(address: string, version: Version): OpenedDocument {
  const content = Buffer.from(`sluice: document at\0${address}\0${contentVersion(version)}`)
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
