import type { SourceKey, Version } from '#src/document/ids.ts'
import { invariant } from '#src/kit/invariant.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'
import { ArchiveRefused } from './archive-limits.ts'
import { containerKind, MEMBER } from './container-kind.ts'
import { spool } from '../spool.ts'
import { type Unpacked, unpackArchive, type UnpackOptions } from './unpack-archive.ts'

/** An unpacked archive in use; disposal releases it. */
export interface AcquiredArchive extends Unpacked {
  /** Version of the unpacked archive. */
  readonly version: Version
}

interface CacheEntry {
  readonly version: Version
  readonly unpacked: Promise<Unpacked>
  readers: number
}

/**
 * Maximum number of unpacked archives without a reader in the cache: the jobs of one archive mostly follow each other.
 */
const KEPT = 2

/** TTL of an unpacked archive without a reader. */
const KEPT_MS = 10_000

/**
 * A reference-counted LRU cache of unpacked archives, so that a thousand members cost one unpacking. Unpacking is
 * single flight: concurrent readers of one version share it. The disk space of the cache is bounded.
 */
export class UnpackedArchiveCache {
  readonly #inner: Source
  readonly #options: UnpackOptions
  /** In order of use: the most recently used is the last. */
  readonly #entries = new Map<SourceKey, CacheEntry>()
  #clearing: NodeJS.Timeout | undefined

  /** The rules of `options` take keys of the source. */
  constructor(inner: Source, options: UnpackOptions) {
    this.#inner = inner
    this.#options = options
  }

  /** Throws `ArchiveRefused` if the archive cannot be opened or unpacked. */
  async acquire(key: SourceKey, signal: AbortSignal): Promise<AcquiredArchive> {
    const entry = await this.#acquireEntry(key, signal)
    try {
      const { file, members, skipped, failed } = await entry.unpacked
      return {
        file,
        members,
        skipped,
        failed,
        version: entry.version,
        [Symbol.asyncDispose]: () => this.#release(key, entry),
      }
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      await this.#release(key, entry)
      throw error
    }
  }

  async versionOf(key: SourceKey, signal: AbortSignal): Promise<Version | null> {
    const opened = await this.#inner.open(key, signal)
    if (!('kind' in opened)) return null
    await using held = opened
    return held.version
  }

  /** Adds a reader. */
  async #acquireEntry(key: SourceKey, signal: AbortSignal): Promise<CacheEntry> {
    const opened = await this.#inner.open(key, signal)
    if (!('kind' in opened)) throw new ArchiveRefused(opened.code, opened.message)
    const present = this.#entries.get(key)
    this.#entries.delete(key)
    const isSame = present?.version === opened.version
    const entry: CacheEntry = isSame
      ? present
      : { version: opened.version, unpacked: this.#unpack(key, opened, signal), readers: 0 }
    // Every reader that awaits it gets the failure; before the first await it must not count as unhandled.
    entry.unpacked.catch(() => undefined)
    this.#entries.set(key, entry)
    entry.readers++
    if (isSame) await opened[Symbol.asyncDispose]()
    else if (present?.readers === 0) await close(present)
    await this.#evictIdle()
    return entry
  }

  async #unpack(key: SourceKey, opened: OpenedDocument, signal: AbortSignal): Promise<Unpacked> {
    await using source = opened
    await using bytes = await spool(source.read(signal), source.bytes, this.#options.folder, signal)
    const kind = containerKind(key, this.#options.archives)
    invariant(kind !== null, 'the cache opens containers only', { key })
    const keyOf = (name: string): string => (name === '' ? key : key + MEMBER + name)
    const options: UnpackOptions = {
      ...this.#options,
      skips: (name) => this.#options.skips(keyOf(name)),
      skipsContainer: (name) => this.#options.skipsContainer(keyOf(name)),
    }
    return await unpackArchive({ name: key, kind, bytes }, options, signal)
  }

  async #release(key: SourceKey, entry: CacheEntry): Promise<void> {
    entry.readers--
    invariant(entry.readers >= 0, 'a reader releases an unpacked archive once', { readers: entry.readers })
    if (entry.readers === 0 && this.#entries.get(key) !== entry) await close(entry)
    await this.#evictIdle()
  }

  /** Evicts idle archives: the last `KEPT` without a reader stay until `KEPT_MS` after the last use. */
  async #evictIdle(): Promise<void> {
    clearTimeout(this.#clearing)
    this.#clearing = setTimeout(() => void this.#evict(0), KEPT_MS)
    this.#clearing.unref()
    await this.#evict(KEPT)
  }

  async #evict(kept: number): Promise<void> {
    const idle = [...this.#entries].filter(([, { readers }]) => readers === 0)
    for (const [key, entry] of idle.slice(0, Math.max(0, idle.length - kept))) {
      this.#entries.delete(key)
      await close(entry)
    }
  }
}

async function close(entry: CacheEntry): Promise<void> {
  const unpacked = await entry.unpacked.catch(() => null)
  await unpacked?.[Symbol.asyncDispose]()
}
