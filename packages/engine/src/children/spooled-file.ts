import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { makeWorkFolder } from '../orphaned-folders.ts'

/** A document in a temporary folder, for a child process. Disposal removes the folder. */
export class SpooledFile implements AsyncDisposable {
  readonly path: string
  readonly #folder: string

  private constructor(folder: string, name: string) {
    this.#folder = folder
    this.path = join(folder, name)
  }

  /** Writes a stream to a file of this name. `parent`: of the folder; default: the system's temporary folder. */
  static async write(
    bytes: AsyncIterable<Uint8Array>,
    name: string,
    signal: AbortSignal,
    parent?: string,
  ): Promise<SpooledFile> {
    const file = new SpooledFile(await makeWorkFolder(parent), name)
    try {
      await pipeline(copies(bytes), createWriteStream(file.path), { signal })
      return file
    } catch (error) {
      await file[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Path of another file in the folder, such as the result of the child. */
  beside(name: string): string {
    return join(this.#folder, name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** A chunk of a source is valid only until the next one. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}
