import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContentHash, contentHash } from '#src/document/ids.ts'
import type { Piece } from '#src/ports/piece-cutter.ts'
import type { PieceFile } from './cut-task.ts'

const CHUNK_BYTES = 256 * 1024

/** An open piece without a name on disk, so that not even a killed process leaves it behind. */
export class PieceOnDisk implements Piece, AsyncDisposable {
  readonly firstPage: number
  readonly lastPage: number
  readonly pages: readonly number[]
  readonly contentHash: ContentHash
  readonly bytes: number
  readonly #file: FileHandle

  private constructor({ firstPage, lastPage, pages, sha256, bytes }: PieceFile, file: FileHandle) {
    this.firstPage = firstPage
    this.lastPage = lastPage
    this.pages = pages
    this.contentHash = contentHash(sha256)
    this.bytes = bytes
    this.#file = file
  }

  static async open(folder: string, piece: PieceFile): Promise<PieceOnDisk> {
    return new PieceOnDisk(piece, await open(join(folder, piece.name)))
  }

  /** Supports any number of concurrent readers, each by position. */
  async *read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let at = 0; at < this.bytes;) {
      signal.throwIfAborted()
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) throw new Error('the temporary file of a piece is shorter than the bytes written to it')
      at += bytesRead
      yield chunk.subarray(0, bytesRead)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
