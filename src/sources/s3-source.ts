import type { S3Client } from '@aws-sdk/client-s3'
import { tmpdir } from 'node:os'
import type { Failure } from '#src/document/failure.ts'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import type { OpenedDocument, Source, SourceEntry } from '#src/ports.ts'
import { type Filter, wantsKey } from './folder-rules.ts'
import { listObjects } from './s3-listing.ts'
import { objectVersion, openObject } from './s3-object.ts'

export interface S3SourceOptions extends Filter {
  readonly client: S3Client
  readonly bucket: string
  /** Folder in the bucket, with or without a slash at its end; empty for all of it. */
  readonly prefix?: string
  /** Full prefixes in the bucket that are never listed: the store, when it lies inside the source. */
  readonly skipPrefixes?: readonly string[]
  /** Where objects are kept while they are worked on. Default: the system's temporary folder. */
  readonly spoolFolder?: string
}

/** The objects of a bucket below a prefix. Empty objects that only stand for a folder are no documents. */
export function openS3Source(options: S3SourceOptions): Source {
  const { client, bucket } = options
  const prefix = asFolder(options.prefix ?? '')
  const skipped = (options.skipPrefixes ?? []).map(asFolder).filter((folder) => folder !== '')
  const wants = wantsKey(options)
  const spoolFolder = options.spoolFolder ?? tmpdir()
  return {
    url: `s3://${bucket}/${prefix}`,
    async *list(signal: AbortSignal): AsyncGenerator<SourceEntry> {
      signal.throwIfAborted()
      if (skipped.some((folder) => prefix.startsWith(folder))) {
        throw new Error(`s3://${bucket}/${prefix} lies inside the store: it cannot be the source as well.`)
      }
      for await (const objects of listObjects(client, bucket, prefix, signal)) {
        for (const object of objects) {
          const key = object.key.slice(prefix.length)
          if (key === '' || (object.bytes === 0 && key.endsWith('/'))) continue
          if (!wants(key) || skipped.some((folder) => object.key.startsWith(folder))) continue
          yield {
            kind: 'document',
            key: sourceKey(key),
            version: objectVersion(object.etag, object.bytes),
            bytes: object.bytes,
          }
        }
      }
    },
    async open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure> {
      return openObject({ client, bucket, objectKey: prefix + key, spoolFolder }, key, signal)
    },
  }
}

function asFolder(prefix: string): string {
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
}
