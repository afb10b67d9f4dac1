import { tmpdir } from 'node:os'
import type { Failure } from '#src/document/failure.ts'
import { type SourceKey, sourceKey, type Version } from '#src/document/ids.ts'
import type { MailUnpacker } from '@sluice/engine/mail'
import type { OpenedDocument, Source, SourceChange, SourceWatch } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { type ArchiveLimits, ArchiveRefused } from './archive-limits.ts'
import { UnpackedArchiveCache, type AcquiredArchive } from './unpacked-archive-cache.ts'
import { type Filter, keyRules } from '../path-rules.ts'
import { type ContainerKind, containerKind, MEMBER } from './container-kind.ts'
import type { Member } from './unpack-archive.ts'
import { unusable } from '../unusable.ts'

export interface ArchiveSourceOptions extends Filter {
  /** True opens zip and tar archives. Mails are always opened. */
  readonly archives: boolean
  readonly limits: ArchiveLimits
  readonly mails: MailUnpacker
  /** Folder for unpacked archives. Default: the system's temporary folder. */
  readonly spoolFolder?: string
}

/** A source and its watch that open archives and mails. */
export interface Opener {
  readonly source: Source
  /** Replaces each changed container by its members. */
  readonly watch: (inner: SourceWatch) => SourceWatch
}

/**
 * Decorator of a source that opens archives (`.zip`, `.tar`, `.tar.gz`, `.tgz`) and mails (`.eml`, `.msg`, `.mbox`,
 * `.mht`), and lists their members as documents. A refused container is one unusable item.
 */
export function withArchives(inner: Source, options: ArchiveSourceOptions): Opener {
  const { archives, limits, mails, spoolFolder: folder = tmpdir(), include: _, ...withoutInclude } = options
  const skips = keyRules(options)
  const skipsContainer = keyRules(withoutInclude)
  const cache = new UnpackedArchiveCache(inner, { archives, skips, skipsContainer, limits, folder, mails })
  const kindOf = (key: string): ContainerKind | null => containerKind(key, archives)
  const expand = async function* (item: SourceItem, signal: AbortSignal): AsyncGenerator<SourceItem> {
    if (item.kind !== 'document') yield item
    else {
      // The inner source lists containers in addition to the matches of the globs.
      const isContainer = kindOf(item.key) !== null
      const reason = isContainer ? skipsContainer(item.key) : skips(item.key)
      if (reason !== null) yield { kind: 'skipped', key: item.key, reason }
      else if (isContainer) yield* members(cache, item.key, signal)
      else yield item
    }
  }
  const source: Source = {
    ...inner,
    skips,
    async *list(signal, known): AsyncGenerator<SourceItem> {
      for await (const item of inner.list(signal, known)) yield* expand(item, signal)
    },
    async open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure> {
      const at = key.indexOf(MEMBER)
      const container = at < 0 ? key : key.slice(0, at)
      const kind = kindOf(container)
      if (kind === null) return inner.open(key, signal)
      // An archive yields members only: an earlier refusal or skip of the archive itself is obsolete.
      if (at < 0 && kind !== 'mail') return vanished(key)
      return openMember(cache, sourceKey(container), at < 0 ? '' : key.slice(at + MEMBER.length), signal)
    },
  }
  const watch = (watched: SourceWatch): SourceWatch => ({
    rescan: () => watched.rescan(),
    async *changes(signal, onListed) {
      for await (const batch of watched.changes(signal, onListed)) {
        const expanded: SourceChange[] = []
        for (const change of batch) {
          if (change.kind === 'gone') expanded.push(change)
          else for await (const item of expand(change, signal)) expanded.push(item)
        }
        if (expanded.length > 0) yield expanded
      }
    },
  })
  return { source, watch }
}

async function* members(
  cache: UnpackedArchiveCache,
  containerKey: SourceKey,
  signal: AbortSignal,
): AsyncGenerator<SourceItem> {
  const acquired = await acquire(cache, containerKey, signal)
  if ('code' in acquired) {
    if (acquired.code !== 'vanished') yield unusable(containerKey, acquired)
    return
  }
  await using archive = acquired
  const keyOf = (name: string): SourceKey => sourceKey(name === '' ? containerKey : containerKey + MEMBER + name)
  for (const [name, { version, bytes }] of archive.members) {
    yield { kind: 'document', key: keyOf(name), version, bytes }
  }
  for (const [name, reason] of archive.skipped) yield { kind: 'skipped', key: keyOf(name), reason }
  for (const [name, failure] of archive.failed) yield unusable(keyOf(name), failure)
}

async function openMember(
  cache: UnpackedArchiveCache,
  containerKey: SourceKey,
  name: string,
  signal: AbortSignal,
): Promise<OpenedDocument | Failure> {
  const acquired = await acquire(cache, containerKey, signal)
  if ('code' in acquired) return acquired
  const member = acquired.members.get(name)
  if (member !== undefined) return new OpenedMember(cache, containerKey, acquired, member)
  const failed = acquired.failed.get(name)
  await acquired[Symbol.asyncDispose]()
  return failed ?? vanished(name === '' ? containerKey : containerKey + MEMBER + name)
}

const vanished = (key: string): Failure => ({
  code: 'vanished',
  stage: 'read',
  message: `${JSON.stringify(key)} is no longer there.`,
})

async function acquire(
  cache: UnpackedArchiveCache,
  containerKey: SourceKey,
  signal: AbortSignal,
): Promise<AcquiredArchive | Failure> {
  try {
    return await cache.acquire(containerKey, signal)
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
  readonly #containerKey: SourceKey
  readonly #archive: AcquiredArchive
  readonly #member: Member

  constructor(cache: UnpackedArchiveCache, containerKey: SourceKey, archive: AcquiredArchive, member: Member) {
    this.version = member.version
    this.bytes = member.bytes
    this.#cache = cache
    this.#containerKey = containerKey
    this.#archive = archive
    this.#member = member
  }

  read(signal: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#archive.file.read(this.#member.offset, this.#member.bytes, signal)
  }

  /** Checks the archive as a whole: the next opening detects that a changed archive still has the same member. */
  async unchanged(signal: AbortSignal): Promise<boolean> {
    return (await this.#cache.versionOf(this.#containerKey, signal)) === this.#archive.version
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#archive[Symbol.asyncDispose]()
  }
}
