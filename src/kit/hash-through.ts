import type { Hash } from 'node:crypto'

/** Passes bytes on, and hashes them on their way. */
export async function* hashThrough<Bytes extends Uint8Array>(
  bytes: AsyncIterable<Bytes>,
  hash: Hash,
): AsyncGenerator<Bytes> {
  for await (const some of bytes) {
    hash.update(some)
    yield some
  }
}
