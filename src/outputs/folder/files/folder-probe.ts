import { statSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { errorCode, isOneOf } from '../../file-system.ts'

/**
 * Threshold: maximum free space in bytes below which the worker buys nothing. On a small disk it is a twentieth of its
 * size.
 */
const RESERVED_BYTES = 100 * 1024 * 1024
const RESERVED_SHARE = 0.05

/** Milliseconds for which the result of a check is cached: each purchase asks for one. */
const CHECK_MS = 1_000

const BIGINT = { bigint: true } as const

interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

/**
 * Watches that the store's folder is still the opened one and has space for the next purchase. Sluice must not silently
 * refill a removed folder, or the mount point of a vanished disk.
 */
export class FolderWatch {
  readonly #root: string
  readonly #opened: Identity
  #checkedAt = -Infinity
  #trouble: string | null = null

  private constructor(root: string, opened: Identity) {
    this.#root = root
    this.#opened = opened
  }

  static async open(root: string): Promise<FolderWatch> {
    return new FolderWatch(root, await stat(root, { bigint: true }))
  }

  /** @throws {StoreUnusable} with the cause and the remedy */
  async check(): Promise<void> {
    if (performance.now() - this.#checkedAt > CHECK_MS) {
      this.#trouble = (await this.#moved()) ?? (await this.#full())
      this.#checkedAt = performance.now()
    }
    if (this.#trouble !== null) throw new StoreUnusable(this.#trouble)
  }

  /** @throws {StoreUnusable} if the folder is gone, or another one has its path */
  async checkIdentity(): Promise<void> {
    const trouble = await this.#moved()
    if (trouble !== null) throw new StoreUnusable(trouble)
  }

  /** Like `checkIdentity`, without a hop to a thread: after a read of a missing or unreadable name. */
  checkIdentityNow(): void {
    let now: Identity | null
    try {
      now = statSync(this.#root, BIGINT)
    } catch (error) {
      now = this.#absent(error)
    }
    const trouble = this.#difference(now)
    if (trouble !== null) throw new StoreUnusable(trouble)
  }

  async #moved(): Promise<string | null> {
    return this.#difference(await stat(this.#root, BIGINT).catch((error: unknown) => this.#absent(error)))
  }

  /** Null if the folder does not exist. A dead mount fails each check with its own error. */
  #absent(error: unknown): null {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR')) return null
    const why = errorCode(error) ?? String(error)
    const message = `the output folder ${this.#root} cannot be reached (${why}). Mount its disk again, and run again.`
    throw new StoreUnusable(message, { cause: error })
  }

  /** Error message if the complete store is gone, instead of "no such file"; null if it is still there. */
  #difference(now: Identity | null): string | null {
    if (now === null)
      return `the output folder ${this.#root} was removed while it was in use. Put it back, or mount its disk, and run again.`
    if (now.dev === this.#opened.dev && now.ino === this.#opened.ino) return null
    return `the output folder ${this.#root} was replaced by another one: its disk may have been unmounted. Mount it again, or stop and run again.`
  }

  async #full(): Promise<string | null> {
    const { bavail, blocks, bsize } = await statfs(this.#root)
    const freeBytes = bavail * bsize
    const reservedBytes = Math.min(RESERVED_BYTES, blocks * bsize * RESERVED_SHARE)
    if (freeBytes >= reservedBytes) return null
    return (
      `only ${megabytes(freeBytes)} are free in ${this.#root}: below ${megabytes(reservedBytes)} Sluice sends no requests. ` +
      'Free some space; the run then continues.'
    )
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
