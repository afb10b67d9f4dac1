import { crc32 } from 'node:zlib'
import type { MailUnpacker } from '@sluice/engine/mail'
import type { Failure } from '#src/document/failure.ts'
import { type Version, version } from '#src/document/ids.ts'
import type { SkipReason } from '#src/document/skip.ts'
import { assertNever } from '#src/kit/assert-never.ts'
import { TempFile } from '../temp-file.ts'
import { type ArchiveLimits, ArchiveRefused, checkLimits } from './archive-limits.ts'
import { type ContainerKind, containerKind, MEMBER } from './container-kind.ts'
import type { PackedMember } from './packed-member.ts'

/** Position of an unpacked member in the archive's temporary file. */
export interface Member {
  readonly offset: number
  readonly bytes: number
  /** Digest of its own bytes: changes of other members do not affect it. */
  readonly version: Version
}

/** The members of a container and of the containers in it. The name of a mail's own message is empty. */
export interface Unpacked extends AsyncDisposable {
  readonly file: TempFile
  readonly members: ReadonlyMap<string, Member>
  /** Members that are not documents, by name. A second member of one name gets its number as suffix: `a.pdf#2`. */
  readonly skipped: ReadonlyMap<string, SkipReason>
  /** Containers in the container that cannot be unpacked. */
  readonly failed: ReadonlyMap<string, Failure>
}

export interface UnpackOptions {
  /** True opens zip and tar archives inside; mails are always opened. */
  readonly archives: boolean
  /** Reason to skip a member. */
  readonly skips: (member: string) => SkipReason | null
  /** Reason not to open a container inside. The `include` globs concern its members, not itself. */
  readonly skipsContainer: (member: string) => SkipReason | null
  readonly limits: ArchiveLimits
  /** Folder of temporary files. */
  readonly folder: string
  readonly mails: MailUnpacker
}

interface Packed {
  readonly name: string
  readonly kind: ContainerKind
  readonly bytes: TempFile
}

/** Depth of containers in containers. A deeper one is skipped: it is a trap, or a mail of many replies with copies. */
const MAX_DEPTH = 8

/**
 * Unpacks the wanted members into one temporary file, containers inside included. Throws `ArchiveRefused` for an archive
 * over the limits, and for one that is damaged.
 */
export async function unpackArchive(packed: Packed, options: UnpackOptions, signal: AbortSignal): Promise<Unpacked> {
  const unpacking = new Unpacking(await TempFile.open(options.folder), options, signal)
  try {
    await unpacking.unpack(packed, '', 0)
    return unpacking
  } catch (error) {
    await unpacking[Symbol.asyncDispose]()
    throw error
  }
}

class Unpacking implements Unpacked {
  readonly file: TempFile
  readonly members = new Map<string, Member>()
  readonly skipped = new Map<string, SkipReason>()
  readonly failed = new Map<string, Failure>()
  readonly #options: UnpackOptions
  readonly #signal: AbortSignal
  /** Members of zip and tar archives so far. A mail needs no limit: its parts take as many bytes as itself. */
  #count = 0

  constructor(file: TempFile, options: UnpackOptions, signal: AbortSignal) {
    this.file = file
    this.#options = options
    this.#signal = signal
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file[Symbol.asyncDispose]()
  }

  /** `path` is the name of the container within the outermost one, which itself has an empty one. */
  async unpack(container: Packed, path: string, depth: number): Promise<void> {
    const from = this.file.length
    const isArchive = container.kind !== 'mail' && container.kind !== 'mbox'
    const check = (): void =>
      checkLimits(this.#options.limits, {
        name: container.name,
        packedBytes: container.bytes.length,
        members: this.#count,
        bytes: this.file.length,
        grown: this.file.length - from,
      })
    try {
      for await (const member of membersOf(container, this.#options.mails, this.#signal)) {
        if (isArchive) this.#count++
        check()
        await this.#take(member, path, depth, check)
      }
    } catch (error) {
      if (error instanceof ArchiveRefused || this.#signal.aborted) throw error
      const message = `${JSON.stringify(container.name)} cannot be unpacked: it is damaged or cut off.`
      throw new ArchiveRefused('corrupt', message, error)
    }
  }

  async #take(member: PackedMember, path: string, depth: number, check: () => void): Promise<void> {
    const below = nameBelow(member.name)
    const safe = escapedName(below)
    const name = safe === '' ? path : path === '' ? safe : path + MEMBER + safe
    if (safe !== below) return this.#skip(name, 'outside')
    if (member.skip !== null) return this.#skip(name, member.skip)
    const kind = safe === '' ? null : containerKind(safe, this.#options.archives)
    const reason = kind === null ? this.#options.skips(name) : this.#options.skipsContainer(name)
    if (reason !== null) return this.#skip(name, reason)
    if (kind !== null && depth + 1 >= MAX_DEPTH) return this.#skip(name, 'nested')
    if (kind !== null) return this.#open({ name, kind }, member, depth + 1, check)
    // The last member of a name wins, as in other unpackers.
    if (this.members.has(name)) this.#skip(name, 'duplicate')
    this.#makeWay(name)
    await this.#store(name, await member.open(), check)
  }

  async #store(name: string, chunks: AsyncIterable<Uint8Array>, check: () => void): Promise<void> {
    const offset = this.file.length
    let checksum = 0
    for await (const chunk of chunks) {
      this.#signal.throwIfAborted()
      await this.file.append(chunk)
      checksum = crc32(chunk, checksum)
      check()
    }
    const bytes = this.file.length - offset
    this.members.set(name, { offset, bytes, version: version(`crc32:${checksum.toString(16)}-${bytes}`) })
  }

  /** Unpacks a container inside. A failure concerns it alone. */
  async #open(
    { name, kind }: { readonly name: string; readonly kind: ContainerKind },
    member: PackedMember,
    depth: number,
    check: () => void,
  ): Promise<void> {
    const path = unusedName(name, this.members, this.skipped, this.failed)
    await using bytes = await TempFile.open(this.#options.folder)
    for await (const chunk of await member.open()) {
      await bytes.append(chunk)
      check()
    }
    try {
      await this.unpack({ name: path, kind, bytes }, path, depth)
    } catch (error) {
      if (!(error instanceof ArchiveRefused) || error.failure.code === 'too_large') throw error
      this.failed.set(path, error.failure)
    }
  }

  #skip(name: string, reason: SkipReason): void {
    this.skipped.set(unusedName(name, this.members, this.skipped, this.failed), reason)
  }

  /** A file takes its name: a skipped member of that name, for example a link, is counted under another one. */
  #makeWay(name: string): void {
    const reason = this.skipped.get(name)
    if (reason === undefined) return
    this.#skip(name, reason)
    this.skipped.delete(name)
  }
}

/**
 * Makes a name relative, for all formats: a member is always below its archive, even if it was packed with an absolute
 * path.
 */
const nameBelow = (name: string): string => name.replace(/^(?:\.?\/)+/, '')

const PARENT_SEGMENTS = /(^|\/)\.\.(?=\/|$)/g

/** Escapes a member that leads out of its archive for the counts: the key must not lead out of the source. */
const escapedName = (name: string): string => name.replaceAll(PARENT_SEGMENTS, '$1%2E%2E')

function unusedName(name: string, ...taken: readonly ReadonlyMap<string, unknown>[]): string {
  if (!taken.some((names) => names.has(name))) return name
  for (let number = 2; ; number++) {
    const numbered = `${name}#${number}`
    if (!taken.some((names) => names.has(numbered))) return numbered
  }
}

async function* membersOf(
  { name, kind, bytes }: Packed,
  mails: MailUnpacker,
  signal: AbortSignal,
): AsyncGenerator<PackedMember> {
  switch (kind) {
    case 'zip':
      return yield* (await import('./zip-members.ts')).zipMembers(bytes, name)
    case 'tar':
    case 'tar.gz':
      return yield* (await import('./tar-members.ts')).tarMembers(bytes, kind === 'tar.gz', signal)
    case 'mail':
      return yield* (await import('./mail-members.ts')).mailMembers(bytes, name, mails, signal)
    case 'mbox':
      return yield* (await import('./mbox-members.ts')).mboxMembers(bytes, signal)
    default:
      return assertNever(kind)
  }
}
