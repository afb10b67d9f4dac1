import { type BigIntStats, closeSync, constants, fstatSync, open, read } from 'node:fs'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Failure } from '#src/document/failure.ts'
import type { Version } from '#src/document/ids.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type OpenedDocument } from '#src/ports/source.ts'
import { fileVersion } from './file-version.ts'
import { errorCode, failureOf } from '../unusable.ts'

const CHUNK_BYTES = 256 * 1024

// Opening and reading wait for the disk, so they run in a thread. Calls on an open file do not wait, so they are
// synchronous: a round trip to a thread takes ten times as long.
const openDescriptor = promisify(open)
const readDescriptor = promisify(read)

/**
 * Opens and holds one file. `O_NONBLOCK` prevents a pipe that replaced the file from blocking forever. Without
 * `followSymlinks` a file that a link replaced has vanished.
 */
export async function openFile(path: string, key: string, followSymlinks: boolean): Promise<OpenedDocument | Failure> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followSymlinks ? 0 : constants.O_NOFOLLOW)
  let descriptor: number | undefined
  try {
    descriptor = await openDescriptor(path, flags)
    const stats = fstatSync(descriptor, { bigint: true })
    if (stats.isFile()) return new OpenedFile(descriptor, path, stats)
    closeSync(descriptor)
    return { code: 'vanished', stage: 'read', message: `${JSON.stringify(key)} is no longer a file.` }
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    // A listing skips links unless it follows them: they are not documents.
    const isLink = !followSymlinks && errorCode(error) === 'ELOOP'
    if (isLink) return { code: 'vanished', stage: 'read', message: `${JSON.stringify(key)} is a symbolic link now.` }
    const failure = failureOf(error, key, 'read')
    if (failure === null) throw error
    return failure
  }
}

class OpenedFile implements OpenedDocument {
  readonly kind = 'opened'
  readonly version: Version
  readonly bytes: number
  readonly #descriptor: number
  readonly #path: string
  #reads = 0
  #state: 'open' | 'closing' | 'closed' = 'open'

  constructor(descriptor: number, path: string, stats: BigIntStats) {
    this.#descriptor = descriptor
    this.#path = path
    this.version = fileVersion(stats)
    this.bytes = Number(stats.size)
  }

  /** Reads by position, so that concurrent readers do not disturb each other. */
  async *read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let position = 0
    // A single buffer for the complete file: the garbage collector frees new ones only every 64 MB.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.bytes))
    while (position < this.bytes) {
      signal.throwIfAborted()
      const bytesRead = await this.#readInto(chunk, position)
      if (bytesRead === 0) break
      position += bytesRead
      if (position === this.bytes) this.#checkUnchanged()
      yield chunk.subarray(0, bytesRead)
    }
    if (position < this.bytes || this.bytes === 0) this.#checkUnchanged()
  }

  async unchanged(): Promise<boolean> {
    try {
      return fileVersion(await stat(this.#path, { bigint: true })) === this.version
    } catch {
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'open') this.#state = 'closing'
    this.#closeWhenIdle()
  }

  async #readInto(chunk: Buffer, position: number): Promise<number> {
    if (this.#state !== 'open') throw new Error(`${this.#path} is read after it was closed`)
    this.#reads += 1
    try {
      return (await readDescriptor(this.#descriptor, chunk, 0, chunk.length, position)).bytesRead
    } finally {
      this.#reads -= 1
      this.#closeWhenIdle()
    }
  }

  /** Waits for reads in threads: by then the descriptor may belong to another file. */
  #closeWhenIdle(): void {
    if (this.#state !== 'closing' || this.#reads > 0) return
    this.#state = 'closed'
    closeSync(this.#descriptor)
  }

  /** Checks the open file before it returns the last bytes: a reader with all bytes has one version. */
  #checkUnchanged(): void {
    const now = fileVersion(fstatSync(this.#descriptor, { bigint: true }))
    if (now !== this.version) throw new DocumentChanged(`${this.#path} changed while it was read`)
  }
}
