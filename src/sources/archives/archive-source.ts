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
  /** Where archives are unpacked. Default: the system's temporary folder. */
  readonly spoolFolder?: string
}

/** Stands between the key of an archive and the name of its member: `2024/mail.zip!/inbox/a.pdf`. */
const MEMBER = '!/'

/** What a source must list beside its `include` globs for archives to be found; the globs then apply to members. */
export const ARCHIVE_GLOBS: readonly string[] = ['*.zip', '*.tar', '*.tar.gz', '*.tgz']

/**
 * A source whose archives (`.zip`, `.tar`, `.tar.gz`, `.tgz`) are opened and their members treated as documents of their
 * own. Archives in archives are not opened. An archive that cannot be taken is one unusable item.
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
          // The inner source lists archives beside what the globs take.
          const reason = skips(item.key)
          yield reason === null ? item : { kind: 'skipped', key: item.key, reason }
        }
      }
    },
    async open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure> {
      const at = key.indexOf(MEMBER)
      // Its members replace it: what was reported of the archive itself, a refusal or a skip, is over.
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

  /** By the archive as a whole: that a changed one holds the same member still is found when it is opened again. */
  async unchanged(signal: AbortSignal): Promise<boolean> {
    return (await this.#cache.versionOf(this.#archiveKey, signal)) === this.#archive.version
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#archive[Symbol.asyncDispose]()
  }
}
