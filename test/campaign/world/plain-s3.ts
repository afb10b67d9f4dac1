import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import pLimit from 'p-limit'

export interface S3Access {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3Object {
  readonly bytes: Buffer
  /** Without its quotes. */
  readonly etag: string
}

const AT_ONCE = 16

/**
 * One bucket for checks from outside, which share no code of Sluice's own: each request is sent once, without retries. A method
 * throws when the store refuses a request.
 */
export class PlainBucket {
  readonly name: string
  readonly #client: S3Client

  constructor({ endpoint, region, accessKeyId, secretAccessKey }: S3Access, name: string) {
    this.name = name
    const credentials = { accessKeyId, secretAccessKey }
    this.#client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 })
  }

  async create(): Promise<void> {
    await this.#client.send(new CreateBucketCommand({ Bucket: this.name }))
  }

  /** Empties it first. */
  async destroy(): Promise<void> {
    await pLimit(AT_ONCE).map(await this.list(''), (key) => this.remove(key))
    await this.#client.send(new DeleteBucketCommand({ Bucket: this.name }))
    this.#client.destroy()
  }

  async list(prefix: string): Promise<readonly string[]> {
    const keys: string[] = []
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: this.#client },
      { Bucket: this.name, Prefix: prefix },
    ))
      keys.push(...Contents.flatMap(({ Key }) => Key ?? []))
    return keys
  }

  /** Null for what is not there. */
  async get(key: string): Promise<S3Object | null> {
    try {
      const { Body, ETag = '' } = await this.#client.send(new GetObjectCommand({ Bucket: this.name, Key: key }))
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      return { bytes, etag: ETag.replaceAll('"', '') }
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null
      throw error
    }
  }

  async put(key: string, body: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ Bucket: this.name, Key: key, Body: body }))
  }

  /** `date` goes with the copy as metadata: an object may be copied onto itself only where something changes. */
  async copy(key: string, to: string, date = ''): Promise<void> {
    await this.#client.send(
      new CopyObjectCommand({
        Bucket: this.name,
        Key: to,
        CopySource: encodeURI(`${this.name}/${key}`),
        MetadataDirective: 'REPLACE',
        Metadata: { date },
      }),
    )
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.name, Key: key }))
  }
}
