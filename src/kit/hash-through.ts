import type { Hash } from 'node:crypto'

/** Passes a stream of bytes through and updates the hash with them. */
export async function* hashThrough<Bytes extends Uint8Array>(
  bytes: AsyncIterable<Bytes>,
  hash: Hash,
): AsyncGenerator<Bytes> {
  for await (const some of bytes) {
    hash.update(some)
    yield some
  }
}
