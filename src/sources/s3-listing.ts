import { ListObjectsV2Command, type ListObjectsV2CommandOutput, type S3Client } from '@aws-sdk/client-s3'
import { merged } from './merged.ts'

export interface ListedObject {
  /** Full key in the bucket. */
  readonly key: string
  readonly etag: string
  readonly bytes: number
}

/** Prefixes listed side by side, and most folders that are worth a listing each: a listing costs a request. */
const CONCURRENCY = 8
const MOST_PREFIXES = 64

/**
 * Streams all objects below a prefix, by pages of 1,000. One listing gives its pages one after the other, so where the
 * topmost folder that branches has a handful of folders, these are listed side by side.
 */
export async function* listObjects(
  client: S3Client,
  bucket: string,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<readonly ListedObject[]> {
  const list = async (
    at: string,
    more: { Delimiter?: string; ContinuationToken?: string },
  ): Promise<ListObjectsV2CommandOutput> =>
    client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: at, EncodingType: 'url', ...more }), {
      abortSignal: signal,
    })

  async function* flat(at: string): AsyncGenerator<readonly ListedObject[]> {
    let token: string | undefined
    do {
      const page = await list(at, token === undefined ? {} : { ContinuationToken: token })
      yield objectsOf(page)
      token = page.NextContinuationToken
    } while (token !== undefined)
  }

  for (let at = prefix; ;) {
    const level = await list(at, { Delimiter: '/' })
    const folders = (level.CommonPrefixes ?? []).map((folder) => decode(folder.Prefix ?? ''))
    if (level.IsTruncated === true || folders.length > MOST_PREFIXES) {
      yield* flat(at)
      return
    }
    const objects = objectsOf(level)
    if (objects.length > 0) yield objects
    if (folders.length === 1) at = folders[0] as string
    else {
      yield* merged(
        folders.map((folder) => flat(folder)),
        CONCURRENCY,
      )
      return
    }
  }
}

function objectsOf(page: ListObjectsV2CommandOutput): readonly ListedObject[] {
  return (page.Contents ?? []).map((object) => ({
    key: decode(object.Key ?? ''),
    etag: unquoted(object.ETag),
    bytes: object.Size ?? 0,
  }))
}

/** Keys are asked for in URL encoding: XML cannot hold the control characters that they may have. */
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Stores differ in whether they quote it. */
export function unquoted(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}
