import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import type { SkipReason } from '#src/document/skip.ts'
import type { TempFile } from '../temp-file.ts'
import type { PackedMember } from './packed-member.ts'

/** Streams the files in a tar archive, compressed by gzip or not. */
export async function* tarMembers(
  packed: TempFile,
  zipped: boolean,
  signal: AbortSignal,
): AsyncGenerator<PackedMember> {
  const unpacker = extract()
  const bytes = Readable.from(copies(packed.read(0, packed.length, signal)), { objectMode: false })
  // Any error in the pipeline destroys the unpacker with that error, and so ends the loop below.
  if (zipped) pipeline(bytes, createGunzip(), unpacker, () => undefined)
  else pipeline(bytes, unpacker, () => undefined)
  for await (const entry of unpacker) {
    const content = entry as unknown as AsyncIterable<Uint8Array>
    const { name } = entry.header
    const kind = entry.header.type ?? 'file'
    if (kind !== 'directory') yield { name, skip: TAR_SKIPS[kind] ?? null, open: async () => content }
    entry.resume()
  }
}

/** Copies chunks, because their source reuses its buffer while the stream holds them. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

const TAR_SKIPS: Readonly<Record<string, SkipReason>> = {
  link: 'hard_link',
  symlink: 'symlink',
  'character-device': 'special',
  'block-device': 'special',
  fifo: 'special',
}
