import { GetObjectCommand } from '@aws-sdk/client-s3'
import { IGNORE_FILE, IgnoreRules } from '../path-rules.ts'
import { s3Failure } from '#src/s3/listing-errors.ts'
import type { S3Location } from './s3-object.ts'

/**
 * The rules of the `.sluiceignore` at the root of a source in a bucket; null where there is none. Those of folders
 * further down are not read: a flat listing would ask for one in each of them.
 *
 * @throws when there may be one and it cannot be read: objects that it leaves out must not be taken for documents
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
