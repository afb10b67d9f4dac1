import type { PlainBucket } from './plain-s3.ts'
import type { FixtureStore, FixtureFile } from './fixture-store.ts'

/** An archive in a bucket: a write is all at once there, and a move is a copy and a deletion. */
export class BucketFixtureStore implements FixtureStore {
  readonly #bucket: PlainBucket
  readonly #prefix: string

  /** `prefix` ends in a slash. */
  constructor(bucket: PlainBucket, prefix: string) {
    this.#bucket = bucket
    this.#prefix = prefix
  }

  async write(key: string, text: string): Promise<void> {
    await this.#bucket.put(this.#prefix + key, text)
  }

  async replace(key: string, text: string): Promise<void> {
    await this.write(key, text)
  }

  async copy(key: string, to: string): Promise<void> {
    await this.#bucket.copy(this.#prefix + key, this.#prefix + to)
  }

  async move(key: string, to: string): Promise<void> {
    await this.copy(key, to)
    await this.remove(key)
  }

  async remove(key: string): Promise<void> {
    await this.#bucket.remove(this.#prefix + key)
  }

  async touch(key: string, modifiedAt: Date): Promise<void> {
    await this.#bucket.copy(this.#prefix + key, this.#prefix + key, modifiedAt.toISOString())
  }

  async read(key: string): Promise<FixtureFile> {
    const object = await this.#bucket.get(this.#prefix + key)
    if (object === null) throw new Error(`${key} is not in the archive`)
    return { bytes: object.bytes, version: `${object.etag}-${object.bytes.length}` }
  }
}
