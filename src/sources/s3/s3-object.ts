import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Failure } from '#src/document/failure.ts'
import { type Version, version } from '#src/document/ids.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type OpenedDocument } from '#src/ports/source.ts'
import { readingError, s3Failure } from '#src/s3/listing-errors.ts'
import { unquoted } from '#src/s3/listing-page.ts'
import { spool } from '../spool.ts'
import type { TempFile } from '../temp-file.ts'

export interface S3Location {
  readonly client: S3Client
  readonly bucket: string
  /** Full key in the bucket. */
  readonly objectKey: string
  readonly spoolFolder: string
}

/** The ETag changes with the bytes; the size covers stores without ETags. */
export function objectVersion(etag: string, bytes: number): Version {
  return version(`${etag}-${bytes}`)
}

/**
 * Opens one object with a single request: the header of the answer has the version, its body waits for the first read.
 */
export async function openObject(
  location: S3Location,
  key: string,
  signal: AbortSignal,
): Promise<OpenedDocument | Failure> {
  try {
    return new OpenedObject(location, await get(location, signal))
  } catch (error) {
    const failure = s3Failure(error, key)
    if (failure === null) throw readingError(error, key, location.bucket)
    return failure
  }
}

/** Reads the header of an object without its bytes; null if it is absent. */
export async function headObject(
  { client, bucket, objectKey }: Pick<S3Location, 'client' | 'bucket' | 'objectKey'>,
  signal: AbortSignal,
): Promise<{ readonly version: Version; readonly bytes: number } | Failure | null> {
  try {
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: objectKey }), { abortSignal: signal })
    return { version: versionOf(head), bytes: head.ContentLength ?? 0 }
  } catch (error) {
    const failure = s3Failure(error, objectKey)
    if (failure === null) throw readingError(error, objectKey, bucket)
    return failure.code === 'vanished' ? null : failure
  }
}

async function get({ client, bucket, objectKey }: S3Location, signal: AbortSignal): Promise<GetObjectCommandOutput> {
  return client.send(new GetObjectCommand({ Bucket: bucket, Key: objectKey }), { abortSignal: signal })
}

type Body = AsyncIterable<Uint8Array> & { destroy(): unknown }

/** Number of download attempts after a broken connection; a store that breaks each of them is down. */
const DOWNLOADS = 4

/** Maximum size of an object that streams directly to its reader; a file would not pay off. */
const DIRECT_BYTES = 256 * 1024

/**
 * An opened object. The first read of a large one downloads it into a temporary file, so that several reads cost one
 * download.
 */
class OpenedObject implements OpenedDocument {
  readonly kind = 'opened'
  readonly version: Version
  readonly bytes: number
  readonly #location: S3Location
  #first: Body | null
  #spooled: Promise<TempFile> | null = null

  constructor(location: S3Location, answer: GetObjectCommandOutput) {
    this.#location = location
    this.bytes = answer.ContentLength ?? 0
    this.version = versionOf(answer)
    this.#first = answer.Body as unknown as Body
  }

  async *read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (this.bytes <= DIRECT_BYTES) {
      yield* this.#readDirectly(signal)
      return
    }
    this.#spooled ??= this.#download(signal)
    yield* (await this.#spooled).read(0, this.bytes, signal)
  }

  async unchanged(signal: AbortSignal): Promise<boolean> {
    const now = await headObject(this.#location, signal)
    return now !== null && 'version' in now && now.version === this.version
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#first?.destroy()
    const spooled = await this.#spooled?.catch(() => null)
    await spooled?.[Symbol.asyncDispose]()
  }

  /** Resumes after a broken connection at its offset: the version is the same, and so are the bytes. */
  async *#readDirectly(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let given = 0
    for (let tries = 1; ; tries++) {
      const body = await this.#body(signal)
      try {
        let at = 0
        for await (const chunk of body) {
          signal.throwIfAborted()
          const known = Math.min(chunk.length, given - at)
          at += chunk.length
          if (at > this.bytes) break
          if (known === chunk.length) continue
          given = at
          yield chunk.subarray(known)
        }
        if (at === this.bytes) return
        throw new Error(`the store announced ${this.bytes} bytes and sent ${at}`)
      } catch (error) {
        body.destroy()
        signal.throwIfAborted()
        if (tries === DOWNLOADS) throw readingError(error, this.#location.objectKey, this.#location.bucket)
      }
    }
  }

  async #download(signal: AbortSignal): Promise<TempFile> {
    for (let tries = 1; ; tries++) {
      const body = await this.#body(signal)
      try {
        return await spool(body, this.bytes, this.#location.spoolFolder, signal)
      } catch (error) {
        body.destroy()
        signal.throwIfAborted()
        if (tries === DOWNLOADS) throw readingError(error, this.#location.objectKey, this.#location.bucket)
      }
    }
  }

  async #body(signal: AbortSignal): Promise<Body> {
    const first = this.#first
    this.#first = null
    return first ?? this.#again(signal)
  }

  /** Compares the version here, not with `If-Match`: stores disagree about the quotes of its ETag. */
  async #again(signal: AbortSignal): Promise<Body> {
    const answer = await get(this.#location, signal).catch((error: unknown) => {
      throw readingError(error, this.#location.objectKey, this.#location.bucket)
    })
    if (versionOf(answer) === this.version) return answer.Body as unknown as Body
    ;(answer.Body as unknown as Body).destroy()
    throw new DocumentChanged(`${this.#location.objectKey} changed while it was read`)
  }
}

function versionOf(answer: {
  readonly ETag?: string | undefined
  readonly ContentLength?: number | undefined
}): Version {
  return objectVersion(unquoted(answer.ETag), answer.ContentLength ?? 0)
}
