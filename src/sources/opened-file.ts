import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Failure } from '#src/document/failure.ts'
import type { Version } from '#src/document/ids.ts'
import { DocumentChanged, type OpenedDocument } from '#src/ports.ts'
import { fileVersion } from './file-version.ts'
import { failureOf } from './unusable.ts'

const CHUNK_BYTES = 256 * 1024

/**
 * Opens one file and holds it. `O_NONBLOCK` keeps a pipe that took the file's place from blocking us for ever; without
 * `followSymlinks` a link that took its place is refused.
 */
export async function openFile(path: string, key: string, followSymlinks: boolean): Promise<OpenedDocument | Failure> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followSymlinks ? 0 : constants.O_NOFOLLOW)
  let handle: FileHandle | undefined
  try {
    handle = await open(path, flags)
    const stats = await handle.stat({ bigint: true })
    if (stats.isFile()) return new OpenedFile(handle, path, stats)
    await handle.close()
    return { code: 'vanished', stage: 'read', message: `${JSON.stringify(key)} is no longer a file.` }
  } catch (error) {
    await handle?.close()
    const failure = failureOf(error, key, 'read')
    if (failure === null) throw error
    return failure
  }
}

class OpenedFile implements OpenedDocument {
  readonly kind = 'opened'
  readonly version: Version
  readonly bytes: number
  readonly #handle: FileHandle
  readonly #path: string

  constructor(handle: FileHandle, path: string, stats: BigIntStats) {
    this.#handle = handle
    this.#path = path
    this.version = fileVersion(stats)
    this.bytes = Number(stats.size)
  }

  /** Reads by position, so that several readers do not disturb each other. */
  async *read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let position = 0
    // One buffer for the whole file: new ones would be garbage that is collected only every 64 MB.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.bytes))
    while (position < this.bytes) {
      signal.throwIfAborted()
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, position)
      if (bytesRead === 0) break
      position += bytesRead
      if (position === this.bytes) await this.#holdStill()
      yield chunk.subarray(0, bytesRead)
    }
    if (position < this.bytes || this.bytes === 0) await this.#holdStill()
  }

  async unchanged(): Promise<boolean> {
    try {
      return fileVersion(await stat(this.#path, { bigint: true })) === this.version
    } catch {
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }

  /** Held against the open file, before the last bytes are handed out: whoever has them all has one version. */
  async #holdStill(): Promise<void> {
    const now = fileVersion(await this.#handle.stat({ bigint: true }))
    if (now !== this.version) throw new DocumentChanged(`${this.#path} changed while it was read`)
  }
}
