import type { LeaseStorage, StoredLease } from '#src/ports/lease-storage.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import type { S3Bucket } from './objects/s3-bucket.ts'

/** Outside all folders of the store, so no listing finds it. */
const NAME = '.sluice/queue.json'

/** Compare-and-swap by ETag. Each renewal is a PUT, so renewals are rare. */
export class S3Lease implements LeaseStorage {
  readonly beatMs = 30_000
  readonly #bucket: S3Bucket
  readonly #url: string

  constructor(bucket: S3Bucket, url: string) {
    this.#bucket = bucket
    this.#url = url
  }

  async read(): Promise<StoredLease | null> {
    const stored = await this.#bucket.get(NAME)
    return stored === null ? null : { text: stored.bytes.toString('utf8'), version: stored.etag }
  }

  async write(text: string, over: string | null): Promise<boolean> {
    const condition = over === null ? ({ kind: 'absent' } as const) : ({ kind: 'unchanged', etag: over } as const)
    return explainedS3(`cannot write ${NAME} in ${this.#url}`, () =>
      this.#bucket.putIf(NAME, Buffer.from(text), condition),
    )
  }
}
