import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

const CHUNK_BYTES = 256 * 1024

/** Bytes put aside on the disk. The file has no name, so that not even a kill leaves it behind. */
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

  /** Any number of readers may be active; each reads by position. A chunk is good until the next one is asked for. */
  async *read(from: number, bytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    // One buffer for all of it: new ones would be garbage that is collected only every 64 MB.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, bytes))
    for (let done = 0; done < bytes;) {
      signal.throwIfAborted()
      const wanted = Math.min(chunk.length, bytes - done)
      const { bytesRead } = await this.#handle.read(chunk, 0, wanted, from + done)
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it')
      done += bytesRead
      yield chunk.subarray(0, bytesRead)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}
