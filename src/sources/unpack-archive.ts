import { Readable, pipeline } from 'node:stream'
import { createGunzip, crc32 } from 'node:zlib'
import { extract } from 'tar-stream'
import { type Version, version } from '#src/document/ids.ts'
import { type ArchiveLimits, ArchiveRefused, checkLimits } from './archive-limits.ts'
import { TempFile } from './temp-file.ts'
import { zipMembers } from './zip-members.ts'

/** A member while it is unpacked. */
export interface PackedMember {
  readonly name: string
  /** Its bytes. Not asked for, they are passed over. */
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** Where an unpacked member lies in the archive's temporary file. */
export interface Member {
  readonly offset: number
  readonly bytes: number
  /** Of its own bytes: it stays the same when other members of the archive change. */
  readonly version: Version
}

export interface Unpacked extends AsyncDisposable {
  readonly file: TempFile
  readonly members: ReadonlyMap<string, Member>
}

export type ArchiveKind = 'zip' | 'tar' | 'tar.gz'

export function archiveKind(name: string): ArchiveKind | null {
  if (/\.zip$/i.test(name)) return 'zip'
  if (/\.tar$/i.test(name)) return 'tar'
  return /\.(?:tgz|tar\.gz)$/i.test(name) ? 'tar.gz' : null
}

/** Unpacks the members that are wanted into one temporary file. Throws `ArchiveRefused` for an archive that is not to be. */
export async function unpackArchive(
  archive: { readonly name: string; readonly kind: ArchiveKind; readonly packed: TempFile },
  wants: (member: string) => boolean,
  limits: ArchiveLimits,
  folder: string,
  signal: AbortSignal,
): Promise<Unpacked> {
  const file = await TempFile.open(folder)
  const members = new Map<string, Member>()
  try {
    let count = 0
    const check = (): void =>
      checkLimits(limits, {
        name: archive.name,
        packedBytes: archive.packed.length,
        members: count,
        bytes: file.length,
      })
    for await (const member of packedMembers(archive, signal)) {
      count++
      check()
      if (!wants(member.name)) continue
      const offset = file.length
      let checksum = 0
      for await (const chunk of await member.open()) {
        signal.throwIfAborted()
        await file.append(chunk)
        checksum = crc32(chunk, checksum)
        check()
      }
      const bytes = file.length - offset
      members.set(member.name, { offset, bytes, version: version(`crc32:${checksum.toString(16)}-${bytes}`) })
    }
    return { file, members, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() }
  } catch (error) {
    await file[Symbol.asyncDispose]()
    if (error instanceof ArchiveRefused || signal.aborted) throw error
    const message = `${JSON.stringify(archive.name)} cannot be unpacked: it is damaged or cut off.`
    throw new ArchiveRefused('corrupt', message, error)
  }
}

function packedMembers(
  { name, kind, packed }: { readonly name: string; readonly kind: ArchiveKind; readonly packed: TempFile },
  signal: AbortSignal,
): AsyncIterable<PackedMember> {
  return kind === 'zip' ? zipMembers(packed, name) : tarMembers(packed, kind === 'tar.gz', signal)
}

/** A stream keeps chunks that its source is about to fill anew. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

async function* tarMembers(packed: TempFile, zipped: boolean, signal: AbortSignal): AsyncGenerator<PackedMember> {
  const unpacker = extract()
  const bytes = Readable.from(copies(packed.read(0, packed.length, signal)), { objectMode: false })
  // Whatever breaks on the way ends the unpacker with the error, and so the loop below.
  if (zipped) pipeline(bytes, createGunzip(), unpacker, () => undefined)
  else pipeline(bytes, unpacker, () => undefined)
  for await (const entry of unpacker) {
    const content = entry as unknown as AsyncIterable<Uint8Array>
    const name = entry.header.name.replace(/^(?:\.?\/)+/, '')
    if (entry.header.type === 'file') yield { name, open: async () => content }
    entry.resume()
  }
}
