import { tmpdir } from 'node:os'
import type { Failure } from '#src/document/failure.ts'
import { type SourceKey, sourceKey, type Version } from '#src/document/ids.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { type ArchiveLimits, ArchiveRefused } from './archive-limits.ts'
import { UnpackedArchiveCache, type AcquiredArchive } from './unpacked-archive-cache.ts'
import { type Filter, keyRules } from '../path-rules.ts'
import { archiveKind, type Member } from './unpack-archive.ts'
import { unusable } from '../unusable.ts'

export interface ArchiveSourceOptions extends Filter {
  readonly limits: ArchiveLimits
  /** Folder for unpacked archives. Default: the system's temporary folder. */
  readonly spoolFolder?: string
}

/** Separator between the key of an archive and the name of its member: `2024/mail.zip!/inbox/a.pdf`. */
const MEMBER = '!/'

/** Additional globs with which a source lists archives; the `include` globs then apply to members. */
export const ARCHIVE_GLOBS: readonly string[] = ['*.zip', '*.tar', '*.tar.gz', '*.tgz']

/**
 * Decorator of a source that opens archives (`.zip`, `.tar`, `.tar.gz`, `.tgz`) and lists their members as documents.
 * It opens no nested archives. A refused archive is one unusable item.
 */
export function withArchives(inner: Source, options: ArchiveSourceOptions): Source {
  const skips = keyRules(options)
  const cache = new UnpackedArchiveCache(inner, skips, options.limits, options.spoolFolder ?? tmpdir())
  return {
    ...inner,
    skips,
    async *list(signal: AbortSignal): AsyncGenerator<SourceItem> {
      for await (const item of inner.list(signal)) {
        if (item.kind !== 'document') yield item
        else if (archiveKind(item.key) !== null) yield* members(cache, item.key, signal)
        else {
          // The inner source lists archives in addition to the matches of the globs.
          const reason = skips(item.key)
          yield reason === null ? item : { kind: 'skipped', key: item.key, reason }
        }
      }
    },
    async open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure> {
      const at = key.indexOf(MEMBER)
      // The archive now yields members: an earlier refusal or skip of the archive itself is obsolete.
      if (at < 0 && archiveKind(key) !== null) return vanished(key)
      if (at < 0 || archiveKind(key.slice(0, at)) === null) return inner.open(key, signal)
      return openMember(cache, sourceKey(key.slice(0, at)), key.slice(at + MEMBER.length), signal)
    },
  }
}

async function* members(
  cache: UnpackedArchiveCache,
  archiveKey: SourceKey,
  signal: AbortSignal,
): AsyncGenerator<SourceItem> {
  const acquired = await acquire(cache, archiveKey, signal)
  if ('code' in acquired) {
    if (acquired.code !== 'vanished') yield unusable(archiveKey, acquired)
    return
  }
  await using archive = acquired
  for (const [name, { version, bytes }] of archive.members) {
    yield { kind: 'document', key: sourceKey(archiveKey + MEMBER + name), version, bytes }
  }
  for (const [name, reason] of archive.skipped) {
    yield { kind: 'skipped', key: sourceKey(archiveKey + MEMBER + name), reason }
  }
}

async function openMember(
  cache: UnpackedArchiveCache,
  archiveKey: SourceKey,
  name: string,
  signal: AbortSignal,
): Promise<OpenedDocument | Failure> {
  const acquired = await acquire(cache, archiveKey, signal)
  if ('code' in acquired) return acquired
  const member = acquired.members.get(name)
  if (member !== undefined) return new OpenedMember(cache, archiveKey, acquired, member)
  await acquired[Symbol.asyncDispose]()
  return vanished(archiveKey + MEMBER + name)
}

const vanished = (key: string): Failure => ({
  code: 'vanished',
  stage: 'read',
  message: `${JSON.stringify(key)} is no longer there.`,
})

async function acquire(
  cache: UnpackedArchiveCache,
  archiveKey: SourceKey,
  signal: AbortSignal,
): Promise<AcquiredArchive | Failure> {
  try {
    return await cache.acquire(archiveKey, signal)
  } catch (error) {
    if (error instanceof ArchiveRefused) return error.failure
    throw error
  }
}

class OpenedMember implements OpenedDocument {
  readonly kind = 'opened'
  readonly version: Version
  readonly bytes: number
  readonly #cache: UnpackedArchiveCache
  readonly #archiveKey: SourceKey
  readonly #archive: AcquiredArchive
  readonly #member: Member

  constructor(cache: UnpackedArchiveCache, archiveKey: SourceKey, archive: AcquiredArchive, member: Member) {
    this.version = member.version
    this.bytes = member.bytes
    this.#cache = cache
    this.#archiveKey = archiveKey
    this.#archive = archive
    this.#member = member
  }

  read(signal: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#archive.file.read(this.#member.offset, this.#member.bytes, signal)
  }

  /** Checks the archive as a whole: the next opening detects that a changed archive still has the same member. */
  async unchanged(signal: AbortSignal): Promise<boolean> {
    return (await this.#cache.versionOf(this.#archiveKey, signal)) === this.#archive.version
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#archive[Symbol.asyncDispose]()
  }
}
