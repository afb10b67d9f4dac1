import type { NoteStorage } from '#src/ports/note-storage.ts'
import type { S3Bucket } from './s3-bucket.ts'

/** `.sluice/` of a bucket: one object for each file. */
export class S3Notes implements NoteStorage {
  readonly #bucket: S3Bucket
  readonly #folder: string

  constructor(bucket: S3Bucket, folder: string) {
    this.#bucket = bucket
    this.#folder = folder
  }

  async read(name: string): Promise<Buffer | null> {
    return (await this.#bucket.get(this.#folder + name))?.bytes ?? null
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(this.#folder + name, bytes)
  }
}
