import { GetObjectCommand } from '@aws-sdk/client-s3'
import { IGNORE_FILE, IgnoreRules } from '../path-rules.ts'
import { s3Failure } from '#src/s3/listing-errors.ts'
import type { S3Location } from './s3-object.ts'

/**
 * Rules of the `.sluiceignore` at the root of a source in a bucket; null without one. Ignores those of deeper folders:
 * a flat listing would need a request for each of them.
 *
 * @throws if the file may exist but is unreadable: excluded objects must not become documents
 */
export async function bucketIgnoreRules(
  { client, bucket, prefix }: Pick<S3Location, 'client' | 'bucket'> & { readonly prefix: string },
  signal: AbortSignal,
): Promise<IgnoreRules | null> {
  const Key = prefix + IGNORE_FILE
  try {
    const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key }), { abortSignal: signal })
    return new IgnoreRules((await answer.Body?.transformToString()) ?? '', '', null)
  } catch (error) {
    const failure = s3Failure(error, Key)
    if (failure === null) throw error
    if (failure.code === 'vanished') return null
    throw new Error(failure.message, { cause: error })
  }
}
