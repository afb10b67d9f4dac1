import type { PlainBucket } from './plain-s3.ts'
import type { StoreFiles } from './store-files.ts'

/** Published layout: outputs of one commit, that of a record or one that no record names. */
const OUTPUT_OF_COMMIT = /\/[0-9a-z]+-[0-9a-f]{10}\/[^/]+$/

/** A store in a bucket. */
export class BucketFiles implements StoreFiles {
  readonly #bucket: PlainBucket
  readonly #prefix: string

  /** `prefix` ends in a slash. */
  constructor(bucket: PlainBucket, prefix: string) {
    this.#bucket = bucket
    this.#prefix = prefix
  }

  async list(folder: string): Promise<readonly string[]> {
    const keys = await this.#bucket.list(`${this.#prefix}${folder}/`)
    return keys.map((key) => key.slice(this.#prefix.length))
  }

  async read(name: string): Promise<Buffer | null> {
    return (await this.#bucket.get(this.#prefix + name))?.bytes ?? null
  }

  /** A killed worker leaves the folder of its commit as an orphan: no record points to it. */
  mayBeLeft(name: string): boolean {
    return OUTPUT_OF_COMMIT.test(name)
  }
}
