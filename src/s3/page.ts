import { ListObjectsV2Command, type ListObjectsV2CommandOutput, type S3Client } from '@aws-sdk/client-s3'
import { addAbortSignal, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { decodedKey, type ListingPage, readListingPage, unquoted } from '#src/s3/listing-page.ts'

export interface PageRequest {
  readonly bucket: string
  readonly prefix: string
  readonly delimiter?: '/'
  /** What the page before said; counts more than `after`. */
  readonly token?: string
  /** Begins behind this key. */
  readonly after?: string
}

/** The part of the SDK's HTTP answer that is read here. */
interface Answer {
  readonly statusCode: number
  body: Readable | Uint8Array
}

/**
 * Asks for one page of a listing. The SDK signs, finds credentials and tries again; its reading of the XML is most of
 * what a listing costs (30 µs an object, ours 4), so a page that `readListingPage` can read is kept from it.
 */
export async function listPage(client: S3Client, request: PageRequest, signal: AbortSignal): Promise<ListingPage> {
  const command = new ListObjectsV2Command({
    Bucket: request.bucket,
    Prefix: request.prefix,
    EncodingType: 'url',
    Delimiter: request.delimiter,
    ContinuationToken: request.token,
    StartAfter: request.token === undefined ? request.after : undefined,
  })
  let page: ListingPage | null = null
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const answer = result.response as Answer
      if (answer.statusCode !== 200) return result
      const bytes = await bytesOf(answer.body, signal)
      page = readListingPage(bytes.toString())
      answer.body = page === null ? bytes : new Uint8Array()
      return result
    },
    // Between the SDK's own reading, which is of normal priority, and the line.
    { name: 'readListingPage', step: 'deserialize', priority: 'low' },
  )
  const output = await client.send(command, { abortSignal: signal })
  return page ?? pageOf(output, request)
}

/** Whole, or the line broke: then it is an error of the request, which the SDK may send again. */
async function bytesOf(body: Answer['body'], signal: AbortSignal): Promise<Buffer> {
  return body instanceof Uint8Array ? Buffer.from(body) : buffer(addAbortSignal(signal, body))
}

function pageOf(output: ListObjectsV2CommandOutput, { bucket, prefix }: PageRequest): ListingPage {
  const next = output.NextContinuationToken ?? null
  if (next === null && output.IsTruncated === true) {
    throw new Error(`The listing of s3://${bucket}/${prefix} goes on, but the store does not say where.`)
  }
  return {
    objects: (output.Contents ?? []).map((object) => ({
      key: decodedKey(object.Key ?? ''),
      etag: unquoted(object.ETag),
      bytes: object.Size ?? 0,
    })),
    folders: (output.CommonPrefixes ?? []).map((folder) => decodedKey(folder.Prefix ?? '')),
    next,
  }
}
