import { closeSync, existsSync, fdatasync, open, write } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { invariant } from '#src/kit/invariant.ts'
import { flushFolder } from '../../file-system.ts'

const openDescriptor: (path: string, flags: string) => Promise<number> = promisify(open)
const flushData = promisify(fdatasync)

/** One file of the journal. */
export class Segment {
  readonly path: string
  /** Unflushed targets of its entries: files, and folders with all their content. */
  readonly written = new Set<string>()
  readonly #drained = Promise.withResolvers<void>()
  #bytes = 0
  #inFlight = 0
  #isClosed = false

  private constructor(path: string) {
    this.path = path
  }

  static async create(path: string, head: Uint8Array): Promise<Segment> {
    const segment = new Segment(path)
    try {
      await segment.#append(await openDescriptor(path, 'wx'), head)
      await flushFolder(dirname(path))
      return segment
    } catch (error) {
      await segment.remove()
      throw error
    }
  }

  get bytes(): number {
    return this.#bytes
  }

  /** False if something else removed the file: a replay would not find appended frames. */
  get isThere(): boolean {
    return existsSync(this.path)
  }

  /**
   * Resolves once the frames are on the disk. The file is open only during the call, because an open file prevents an
   * unmount or a read-only remount.
   */
  async append(frames: readonly Uint8Array[]): Promise<void> {
    await this.#append(await openDescriptor(this.path, 'r+'), Buffer.concat(frames))
  }

  /** Marks the start of an entry's write; `end` marks its end. */
  begin(): void {
    this.#inFlight += 1
  }

  end(): void {
    this.#inFlight -= 1
    invariant(this.#inFlight >= 0, 'a journalled write ends once', { inFlight: this.#inFlight })
    this.#endWhenWritten()
  }

  /** Stops appends. Resolves when the last write has ended. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#endWhenWritten()
    return this.#drained.promise
  }

  get isDrained(): boolean {
    return this.#isClosed && this.#inFlight === 0
  }

  /** In this order: no later segment is removed while the name of this one may be on the disk. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true })
    await flushFolder(dirname(this.path))
  }

  #endWhenWritten(): void {
    if (this.isDrained) this.#drained.resolve()
  }

  async #append(descriptor: number, bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length;) {
        const count = await writeAt(descriptor, bytes.subarray(done), this.#bytes)
        done += count
        this.#bytes += count
      }
      await flushData(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
}

function writeAt(descriptor: number, bytes: Uint8Array, at: number): Promise<number> {
  const written = Promise.withResolvers<number>()
  write(descriptor, bytes, 0, bytes.length, at, (error, count) => {
    if (error === null) written.resolve(count)
    else written.reject(error)
  })
  return written.promise
}
