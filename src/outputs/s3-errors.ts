import { S3ServiceException } from '@aws-sdk/client-s3'
import { StoreUnusable } from './store-error.ts'

export function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null
}

/** As `explained` for folders: what the bucket refuses is thrown with one sentence on what failed and what to do. */
export async function explainedS3<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error
    throw new StoreUnusable(`Sluice ${what}: ${advice(error)}`, { cause: error })
  }
}

function advice(error: S3ServiceException): string {
  const status = error.$metadata.httpStatusCode
  if (error.name === 'NoSuchBucket' || error.name === 'NotFound') return 'there is no such bucket. Create it first.'
  if (status === 403) return 'access denied. Grant s3:GetObject, PutObject, DeleteObject and ListBucket on it.'
  if (status === 301) return 'the bucket is in another region. Set that one.'
  return `the store answered ${error.name} (${status ?? 'no status'}).`
}
