import type { SourceKey, Version } from '#src/document/ids.ts'
import type { SkipReason } from '#src/document/skip.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'
import { type ArchiveLimits, ArchiveRefused } from './archive-limits.ts'
import { spool } from '../spool.ts'
import { type ArchiveKind, archiveKind, type Unpacked, unpackArchive } from './unpack-archive.ts'

/** An unpacked archive in use; released by disposing of it. */
export interface Borrowed extends Unpacked {
  /** Of the archive that was unpacked. */
  readonly version: Version
}

interface Standing {
  readonly version: Version
  readonly unpacked: Promise<Unpacked>
  readers: number
}

/** Archives that stay unpacked without a reader: the jobs of one archive mostly come one after another. */
const KEPT = 2

/** For how long they do. */
const KEPT_MS = 10_000

/**
 * A reference-counted LRU cache of unpacked archives, so that a thousand members cost one unpacking. Unpacking is
 * single flight: readers of one version of an archive share it. What the cache takes on disk is bounded.
 */
export class ArchiveShelf {
  readonly #inner: Source
  readonly #skips: (key: string) => SkipReason | null
  readonly #limits: ArchiveLimits
  readonly #folder: string
  /** In order of use: the most recently used is the last. */
  readonly #standing = new Map<SourceKey, Standing>()
  #clearing: NodeJS.Timeout | undefined

  constructor(inner: Source, skips: (key: string) => SkipReason | null, limits: ArchiveLimits, folder: string) {
    this.#inner = inner
    this.#skips = skips
    this.#limits = limits
    this.#folder = folder
  }

  /** Throws `ArchiveRefused` when it cannot be opened or unpacked. */
  async borrow(key: SourceKey, signal: AbortSignal): Promise<Borrowed> {
    const standing = await this.#stand(key, signal)
    try {
      const { file, members, skipped } = await standing.unpacked
      return {
        file,
        members,
        skipped,
        version: standing.version,
        [Symbol.asyncDispose]: () => this.#giveBack(key, standing),
      }
    } catch (error) {
      if (this.#standing.get(key) === standing) this.#standing.delete(key)
      await this.#giveBack(key, standing)
      throw error
    }
  }

  async versionOf(key: SourceKey, signal: AbortSignal): Promise<Version | null> {
    const opened = await this.#inner.open(key, signal)
    if (!('kind' in opened)) return null
    await using held = opened
    return held.version
  }

  /** With one more reader. */
  async #stand(key: SourceKey, signal: AbortSignal): Promise<Standing> {
    const opened = await this.#inner.open(key, signal)
    if (!('kind' in opened)) throw new ArchiveRefused(opened.code, opened.message)
    const present = this.#standing.get(key)
    this.#standing.delete(key)
    const isSame = present?.version === opened.version
    const standing: Standing = isSame
      ? present
      : { version: opened.version, unpacked: this.#unpack(key, opened, signal), readers: 0 }
    // Every reader that awaits it gets the failure; one before the first reader awaits must not count as unhandled.
    standing.unpacked.catch(() => undefined)
    this.#standing.set(key, standing)
    standing.readers++
    if (isSame) await opened[Symbol.asyncDispose]()
    else if (present?.readers === 0) await close(present)
    await this.#tidy()
    return standing
  }

  async #unpack(key: SourceKey, opened: OpenedDocument, signal: AbortSignal): Promise<Unpacked> {
    await using source = opened
    await using packed = await spool(source.read(signal), source.bytes, this.#folder, signal)
    const archive = { name: key, kind: archiveKind(key) as ArchiveKind, packed }
    return await unpackArchive(archive, (name) => this.#skips(`${key}!/${name}`), this.#limits, this.#folder, signal)
  }

  async #giveBack(key: SourceKey, standing: Standing): Promise<void> {
    standing.readers--
    if (standing.readers === 0 && this.#standing.get(key) !== standing) await close(standing)
    await this.#tidy()
  }

  /** Evicts idle archives: of those without a reader the last `KEPT` stay, until `KEPT_MS` after the last use. */
  async #tidy(): Promise<void> {
    clearTimeout(this.#clearing)
    this.#clearing = setTimeout(() => void this.#clear(0), KEPT_MS)
    this.#clearing.unref()
    await this.#clear(KEPT)
  }

  async #clear(kept: number): Promise<void> {
    const idle = [...this.#standing].filter(([, { readers }]) => readers === 0)
    for (const [key, standing] of idle.slice(0, Math.max(0, idle.length - kept))) {
      this.#standing.delete(key)
      await close(standing)
    }
  }
}

async function close(standing: Standing): Promise<void> {
  const unpacked = await standing.unpacked.catch(() => null)
  await unpacked?.[Symbol.asyncDispose]()
}
