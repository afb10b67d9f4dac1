import type { S3Client } from '@aws-sdk/client-s3'
import { tmpdir } from 'node:os'
import { batchedStream, type BatchedStream } from '#src/kit/batched-stream.ts'
import type { Failure } from '#src/document/failure.ts'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import type { SkipReason } from '#src/document/skip.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { type Filter, keyRules } from '../path-rules.ts'
import { listingError } from '#src/s3/listing-errors.ts'
import { bucketIgnoreRules } from './s3-ignore.ts'
import { listObjects } from './s3-listing.ts'
import { objectVersion, openObject } from './s3-object.ts'

export interface S3SourceOptions extends Filter {
  readonly client: S3Client
  readonly bucket: string
  /** Folder in the bucket, with or without a slash at its end; empty for the complete bucket. */
  readonly prefix?: string
  /** Full prefixes in the bucket that are never listed: the store, if it is inside the source. */
  readonly skipPrefixes?: readonly string[]
  /** Folder of downloaded objects during their processing. Default: the system's temporary folder. */
  readonly spoolFolder?: string
}

/** The objects of a bucket below a prefix. Empty objects that merely represent a folder are not documents. */
export function openS3Source(options: S3SourceOptions): Source {
  const { client, bucket, spoolFolder = tmpdir() } = options
  const scope = s3Scope(options)
  return {
    url: `s3://${bucket}/${scope.prefix}`,
    list: (signal: AbortSignal): BatchedStream<SourceItem> => batchedStream(() => listItems(options, scope, signal)),
    skips: keyRules(options),
    async open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure> {
      return openObject({ client, bucket, objectKey: scope.prefix + key, spoolFolder }, key, signal)
    },
  }
}

/** Streams the items of a source, by pages of the listing. */
export async function* listItems(
  { client, bucket }: S3SourceOptions,
  scope: S3Scope,
  signal: AbortSignal,
): AsyncGenerator<readonly SourceItem[]> {
  signal.throwIfAborted()
  if (scope.isInsideStore) {
    throw new SetupError(`s3://${bucket}/${scope.prefix} lies inside the store: it cannot be the source as well.`)
  }
  const leftOut = new Set<string>()
  try {
    const ignored = await bucketIgnoreRules({ client, bucket, prefix: scope.prefix }, signal)
    for await (const objects of listObjects({ client, bucket, prefix: scope.prefix }, signal)) {
      yield objects.flatMap(({ key: objectKey, etag, bytes }): SourceItem[] => {
        const at = scope.inspect(objectKey, bytes)
        if (at === null) return []
        if ('leftOut' in at) return leftOut.has(at.leftOut) ? [] : [folderLeftOut(at.leftOut, leftOut)]
        const reason = at.skip ?? (ignored?.ignores(at.key) === true ? 'excluded' : null)
        if (reason !== null) return [{ kind: 'skipped', key: at.key, reason }]
        return [{ kind: 'document', key: at.key, version: objectVersion(etag, bytes), bytes }]
      })
    }
  } catch (error) {
    throw listingError(error, `s3://${bucket}/${scope.prefix}`)
  }
}

function folderLeftOut(key: string, reported: Set<string>): SourceItem {
  reported.add(key)
  return { kind: 'left_out', key: sourceKey(key), reason: 'store' }
}

/** Boundary of a source in a bucket. */
export interface S3Scope {
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly isInsideStore: boolean
  /** Returns the source key of an object that may be a document, else null. `bytes` is null if unknown. */
  keyOf(objectKey: string, bytes: number | null): SourceKey | null
  /** The same, with the reason to skip it. Null for an object that merely represents a folder. */
  inspect(objectKey: string, bytes: number | null): InspectedObject | null
}

type InspectedObject =
  | { readonly key: SourceKey; readonly skip: SkipReason | null }
  /** It is in this folder, which is not listed. */
  | { readonly leftOut: string }

export function s3Scope(options: S3SourceOptions): S3Scope {
  const prefix = asFolder(options.prefix ?? '')
  const skipped = (options.skipPrefixes ?? []).map(asFolder).filter((folder) => folder !== '')
  const skips = keyRules(options)
  const inspect: S3Scope['inspect'] = (objectKey, bytes) => {
    const key = objectKey.slice(prefix.length)
    const isPlaceholder = key === '' || (bytes === 0 && key.endsWith('/'))
    if (isPlaceholder || !objectKey.startsWith(prefix)) return null
    const store = skipped.find((folder) => objectKey.startsWith(folder))
    return store === undefined ? { key: sourceKey(key), skip: skips(key) } : { leftOut: store.slice(prefix.length) }
  }
  return {
    prefix,
    isInsideStore: skipped.some((folder) => prefix.startsWith(folder)),
    keyOf(objectKey, bytes) {
      const at = inspect(objectKey, bytes)
      return at !== null && 'key' in at && at.skip === null ? at.key : null
    },
    inspect,
  }
}

function asFolder(prefix: string): string {
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
}
