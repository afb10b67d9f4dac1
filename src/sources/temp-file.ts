import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

const CHUNK_BYTES = 256 * 1024

/** A temporary file without a name, so that not even a killed process leaves it behind. */
export class TempFile implements AsyncDisposable {
  readonly #handle: FileHandle
  #length = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async open(folder: string): Promise<TempFile> {
    const path = join(folder, `sluice-${randomUUID()}`)
    const handle = await open(path, 'wx+', 0o600)
    await unlink(path)
    return new TempFile(handle)
  }

  get fd(): number {
    return this.#handle.fd
  }

  get length(): number {
    return this.#length
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#length)
      at += bytesWritten
      this.#length += bytesWritten
    }
  }

  /** Supports any number of concurrent readers, each by position. A chunk is valid until the next one is requested. */
  async *read(from: number, bytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    // A single buffer for all of it: the garbage collector frees new ones only every 64 MB.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, bytes))
    for (let done = 0; done < bytes;) {
      signal.throwIfAborted()
      const wanted = Math.min(chunk.length, bytes - done)
      const { bytesRead } = await this.#handle.read(chunk, 0, wanted, from + done)
      if (bytesRead === 0) throw new Error('a temporary file is shorter than the bytes written to it')
      done += bytesRead
      yield chunk.subarray(0, bytesRead)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}
