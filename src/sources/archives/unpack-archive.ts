import { Readable, pipeline } from 'node:stream'
import { createGunzip, crc32 } from 'node:zlib'
import type { SkipReason } from '#src/document/skip.ts'
import { type Version, version } from '#src/document/ids.ts'
import { type ArchiveLimits, ArchiveRefused, checkLimits } from './archive-limits.ts'
import { TempFile } from '../temp-file.ts'
import type { PackedMember } from './packed-member.ts'

/** Position of an unpacked member in the archive's temporary file. */
export interface Member {
  readonly offset: number
  readonly bytes: number
  /** Digest of its own bytes: changes of other members do not affect it. */
  readonly version: Version
}

export interface Unpacked extends AsyncDisposable {
  readonly file: TempFile
  readonly members: ReadonlyMap<string, Member>
  /** Members that are not documents, by name. A second member of one name gets its number as suffix: `a.pdf#2`. */
  readonly skipped: ReadonlyMap<string, SkipReason>
}

export type ArchiveKind = 'zip' | 'tar' | 'tar.gz'

export function archiveKind(name: string): ArchiveKind | null {
  if (/\.zip$/i.test(name)) return 'zip'
  if (/\.tar$/i.test(name)) return 'tar'
  return /\.(?:tgz|tar\.gz)$/i.test(name) ? 'tar.gz' : null
}

/** Unpacks the wanted members into one temporary file. Throws `ArchiveRefused` for an archive over the limits. */
export async function unpackArchive(
  archive: { readonly name: string; readonly kind: ArchiveKind; readonly packed: TempFile },
  skips: (member: string) => SkipReason | null,
  limits: ArchiveLimits,
  folder: string,
  signal: AbortSignal,
): Promise<Unpacked> {
  const file = await TempFile.open(folder)
  const members = new Map<string, Member>()
  const skipped = new Map<string, SkipReason>()
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
      const below = nameBelow(member.name)
      const name = harmless(below)
      const reason = name === below ? (member.skip ?? skips(name)) : 'outside'
      if (reason !== null) {
        skipped.set(unused(name, members, skipped), reason)
        continue
      }
      // The last member of a name wins, as in other unpackers.
      if (members.has(name)) skipped.set(unused(name, members, skipped), 'duplicate')
      makeWay(name, members, skipped)
      const offset = file.length
      let checksum = 0
      for await (const chunk of await member.open()) {
        signal.throwIfAborted()
        await file.append(chunk)
        checksum = crc32(chunk, checksum)
        check()
      }
      const bytes = file.length - offset
      members.set(name, { offset, bytes, version: version(`crc32:${checksum.toString(16)}-${bytes}`) })
    }
    return { file, members, skipped, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() }
  } catch (error) {
    await file[Symbol.asyncDispose]()
    if (error instanceof ArchiveRefused || signal.aborted) throw error
    throw unpackable(archive.name, error)
  }
}

const unpackable = (name: string, error: unknown): ArchiveRefused =>
  new ArchiveRefused('corrupt', `${JSON.stringify(name)} cannot be unpacked: it is damaged or cut off.`, error)

/**
 * Makes a name relative, for all formats: a member is always below its archive, even if it was packed with an absolute
 * path.
 */
const nameBelow = (name: string): string => name.replace(/^(?:\.?\/)+/, '')

const LEADING_OUT = /(^|\/)\.\.(?=\/|$)/g

/** Escapes a member that leads out of its archive for the counts: the key must not lead out of the source. */
const harmless = (name: string): string => name.replaceAll(LEADING_OUT, '$1%2E%2E')

/** A file takes its name: a skipped member of that name, for example a link, is counted under another one. */
function makeWay(name: string, members: ReadonlyMap<string, Member>, skipped: Map<string, SkipReason>): void {
  const reason = skipped.get(name)
  if (reason === undefined) return
  skipped.set(unused(name, members, skipped), reason)
  skipped.delete(name)
}

function unused(name: string, ...taken: readonly ReadonlyMap<string, unknown>[]): string {
  if (!taken.some((names) => names.has(name))) return name
  for (let number = 2; ; number++) {
    const numbered = `${name}#${number}`
    if (!taken.some((names) => names.has(numbered))) return numbered
  }
}

async function* packedMembers(
  { name, kind, packed }: { readonly name: string; readonly kind: ArchiveKind; readonly packed: TempFile },
  signal: AbortSignal,
): AsyncGenerator<PackedMember> {
  if (kind === 'zip') {
    const { zipMembers } = await import('./zip-members.ts')
    yield* zipMembers(packed, name)
  } else yield* tarMembers(packed, kind === 'tar.gz', signal)
}

/** Copies chunks, because their source reuses its buffer while the stream holds them. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

async function* tarMembers(packed: TempFile, zipped: boolean, signal: AbortSignal): AsyncGenerator<PackedMember> {
  const { extract } = await import('tar-stream')
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

const TAR_SKIPS: Readonly<Record<string, SkipReason>> = {
  link: 'hard_link',
  symlink: 'symlink',
  'character-device': 'special',
  'block-device': 'special',
  fifo: 'special',
}
