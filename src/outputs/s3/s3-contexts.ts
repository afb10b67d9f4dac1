import type { ContextStorage } from '#src/ports/context-storage.ts'
import type { S3Bucket } from './s3-bucket.ts'

const FOLDER = 'contexts/'

/** `contexts/` of a bucket: one object for each. */
export class S3Contexts implements ContextStorage {
  readonly #bucket: S3Bucket

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket
  }

  async read(name: string): Promise<Buffer | null> {
    return (await this.#bucket.get(FOLDER + name))?.bytes ?? null
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(FOLDER + name, bytes)
  }
}
