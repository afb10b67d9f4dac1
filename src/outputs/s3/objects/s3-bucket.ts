import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Condition, ListedObject, NameRange, Objects, StoredObject } from './objects.ts'
import { explainedS3, isAbsent, connectionFailure, NotDeleted, statusOf } from '#src/s3/errors.ts'

export interface S3BucketOptions {
  readonly client: S3Client
  readonly bucket: string
  /** Ends in a slash, or is empty. */
  readonly prefix: string
  /** Added to every written object: encryption, storage class. */
  readonly writing: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId' | 'StorageClass'>
}

const isAfter = (name: string, other: string): boolean => Buffer.compare(Buffer.from(name), Buffer.from(other)) > 0

/** Threshold in bytes: a larger upload is multipart, so a broken connection repeats one part only. */
export const PART_BYTES = 16 * 1024 * 1024

/** Maximum number of attempts to download an object whose connection breaks. */
const MAX_DOWNLOADS = 4

/** The part of a bucket that belongs to a store. Names are relative to its prefix. */
export class S3Bucket implements Objects {
  readonly #at: S3BucketOptions
  readonly #url: string
  /** Stores disagree on the quotes of the ETag in `If-Match`; the first form that works is cached. */
  #quoted = true
  /** Some stores support no conditions (501). The last writer wins there, as in a plain folder. */
  #conditional = true

  constructor(at: S3BucketOptions) {
    this.#at = at
    this.#url = `s3://${at.bucket}/${at.prefix}`
  }

  get listsInOrder(): boolean {
    return true
  }

  /** True until the store refuses a condition as unsupported. */
  get isConditional(): boolean {
    return this.#conditional
  }

  async get(name: string): Promise<StoredObject | null> {
    return this.#read(name)
  }

  /** Bytes from `offset` on, fewer at the end of the object. Null if the object does not exist. */
  async getRange(name: string, offset: number, length: number): Promise<StoredObject | null> {
    return this.#read(name, `bytes=${offset}-${offset + length - 1}`)
  }

  async #read(name: string, range?: string): Promise<StoredObject | null> {
    return explainedS3(`cannot read ${name} in ${this.#url}`, async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await this.#download(name, range)
        } catch (error) {
          if (isAbsent(error)) return null
          // The SDK retries a request without an answer, but not a broken answer.
          if (tries === MAX_DOWNLOADS || connectionFailure(error) === null) throw error
        }
      }
    })
  }

  /**
   * HeadObject reports "not found" without a reason: the bucket itself may be absent.
   *
   * @throws {StoreUnusable} if the bucket does not exist
   */
  async checkThere(): Promise<void> {
    const { client, bucket } = this.#at
    await explainedS3(`cannot read ${this.#url}`, () => client.send(new HeadBucketCommand({ Bucket: bucket })))
  }

  /** False also if the bucket does not exist: see `checkThere`. */
  async has(name: string): Promise<boolean> {
    return explainedS3(`cannot search for ${name} in ${this.#url}`, async () => (await this.#etag(name)) !== null)
  }

  /** Atomic: the complete object, or none. */
  async put(name: string, bytes: Uint8Array): Promise<void> {
    const params = this.#writing(name, bytes)
    if (bytes.length <= PART_BYTES) await this.#at.client.send(new PutObjectCommand(params))
    else await new Upload({ client: this.#at.client, params, partSize: PART_BYTES, queueSize: 2 }).done()
  }

  /** Like `put`, for objects of one part. Returns true if the condition held and the object was written. */
  async putIf(name: string, bytes: Uint8Array, condition: Condition): Promise<boolean> {
    if (!this.#conditional) {
      if (condition.kind === 'absent' && (await this.#etag(name)) !== null) return false
      await this.put(name, bytes)
      return true
    }
    if (await this.#tryPut(name, bytes, condition)) return true
    if (!this.#conditional) return this.putIf(name, bytes, condition)
    if (condition.kind === 'absent' || (await this.#etag(name)) !== condition.etag) return false
    // Refused although the object still has this ETag: this store expects the other form.
    this.#quoted = !this.#quoted
    return this.#tryPut(name, bytes, condition)
  }

  async #tryPut(name: string, bytes: Uint8Array, condition: Condition): Promise<boolean> {
    const header =
      condition.kind === 'absent'
        ? { IfNoneMatch: '*' }
        : { IfMatch: this.#quoted ? `"${condition.etag}"` : condition.etag }
    try {
      await this.#at.client.send(new PutObjectCommand({ ...this.#writing(name, bytes), ...header }))
      return true
    } catch (error) {
      const status = statusOf(error)
      if (status === 501) this.#conditional = false
      // 404: no object to match. 409: another conditional write is in flight.
      else if (status !== 412 && status !== 404 && status !== 409) throw error
      return false
    }
  }

  /**
   * Idempotent: a missing object is not an error. A single object goes by DELETE, which is free, while a POST costs a
   * write.
   */
  async remove(names: readonly string[]): Promise<void> {
    const [first] = names
    if (first !== undefined && names.length === 1) {
      await this.#at.client.send(new DeleteObjectCommand(this.#object(first)))
      return
    }
    for (let at = 0; at < names.length; at += 1000) {
      const Objects = names.slice(at, at + 1000).map((name) => ({ Key: this.#at.prefix + name }))
      const answer = await this.#at.client.send(
        new DeleteObjectsCommand({ Bucket: this.#at.bucket, Delete: { Objects, Quiet: true } }),
      )
      const [refused] = answer.Errors ?? []
      if (refused !== undefined) throw new NotDeleted(refused.Key ?? '', refused.Code ?? '')
    }
  }

  async removeUnchanged(name: string, modifiedAt: number): Promise<boolean> {
    const found = await explainedS3(`cannot search for ${name} in ${this.#url}`, () => this.#head(name))
    if (found === null) return true
    // Some listings have milliseconds; an answer to HEAD has seconds.
    if (secondOf(found.LastModified?.getTime() ?? 0) !== secondOf(modifiedAt)) return false
    await this.remove([name])
    return true
  }

  /** Streams names in pages of up to 1,000. */
  async *list(folder: string, signal?: AbortSignal, range?: NameRange): AsyncGenerator<readonly string[]> {
    for await (const objects of this.listObjects(folder, signal, range)) yield objects.map(({ name }) => name)
  }

  /** Like `list`, with the time of each object's last write. */
  async *listObjects(
    folder: string,
    signal?: AbortSignal,
    range: NameRange = { after: '', upTo: null },
  ): AsyncGenerator<readonly ListedObject[]> {
    let token: string | undefined
    do {
      const page = await explainedS3(`cannot list ${this.#url}${folder}`, () =>
        this.#page(folder, token, range.after, signal),
      )
      yield (page.Contents ?? []).map(({ Key, LastModified, ETag }) => ({
        name: decode(Key ?? '').slice(this.#at.prefix.length),
        modifiedAt: LastModified?.getTime() ?? 0,
        etag: bare(ETag),
      }))
      token = page.NextContinuationToken
      const last = decode(page.Contents?.at(-1)?.Key ?? '').slice(this.#at.prefix.length)
      if (range.upTo !== null && isAfter(last, range.upTo)) return
    } while (token !== undefined)
  }

  async #page(
    folder: string,
    token: string | undefined,
    after: string,
    signal?: AbortSignal,
  ): Promise<ListObjectsV2CommandOutput> {
    return this.#at.client.send(
      new ListObjectsV2Command({
        Bucket: this.#at.bucket,
        Prefix: this.#at.prefix + folder,
        EncodingType: 'url',
        ContinuationToken: token,
        ...(after === '' ? {} : { StartAfter: this.#at.prefix + after }),
      }),
      signal === undefined ? {} : { abortSignal: signal },
    )
  }

  async #download(name: string, range?: string): Promise<StoredObject> {
    const part = range === undefined ? {} : { Range: range }
    const answer = await this.#at.client.send(new GetObjectCommand({ ...this.#object(name), ...part }))
    const bytes = Buffer.from((await answer.Body?.transformToByteArray()) ?? [])
    return { bytes, etag: bare(answer.ETag), modifiedAt: answer.LastModified?.getTime() ?? 0 }
  }

  async #etag(name: string): Promise<string | null> {
    const found = await this.#head(name)
    return found === null ? null : bare(found.ETag)
  }

  async #head(name: string): Promise<HeadObjectCommandOutput | null> {
    try {
      return await this.#at.client.send(new HeadObjectCommand(this.#object(name)))
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  #object(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#at.bucket, Key: this.#at.prefix + name }
  }

  #writing(name: string, bytes: Uint8Array): PutObjectCommandInput {
    return { ...this.#object(name), ...this.#at.writing, Body: bytes, ContentType: contentType(name) }
  }
}

const secondOf = (timeMs: number): number => Math.floor(timeMs / 1000)

function bare(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function contentType(name: string): string {
  if (name.endsWith('.md')) return 'text/markdown; charset=utf-8'
  if (name.endsWith('.html')) return 'text/html; charset=utf-8'
  if (name.endsWith('.jsonl')) return 'application/x-ndjson'
  return name.endsWith('.json') ? 'application/json' : 'application/gzip'
}
