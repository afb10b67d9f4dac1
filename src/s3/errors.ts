import { S3ServiceException } from '@aws-sdk/client-s3'
import { s3SetupProblem } from '#src/kit/s3-setup-problem.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'

export function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null
}

const DENIED = 'AccessDenied'

/** The store failed to delete one of several objects; `reason` is S3's code. */
export class NotDeleted extends Error {
  override name = 'NotDeleted' as const
  readonly reason: string

  constructor(key: string, reason: string) {
    super(`${key} could not be deleted: ${reason}`)
    this.reason = reason
  }
}

/** A policy forbids it. The store refuses a request for several objects completely, or per object. */
export const isDenied = (error: unknown): boolean =>
  statusOf(error) === 403 || (error instanceof NotDeleted && error.reason === DENIED)

/** The object does not exist. False without a bucket: its content was paid for. */
export const isAbsent = (error: unknown): boolean =>
  statusOf(error) === 404 && (error as S3ServiceException).name !== 'NoSuchBucket'

/** Errors that concern one object, while writes of others would succeed. */
const OF_ONE_OBJECT: readonly string[] = ['KeyTooLongError', 'EntityTooLarge', 'InvalidArgument']

/**
 * Like `explained` for folders: wraps a refusal of the bucket into one sentence with the failure and the remedy. A
 * connection that stays broken after the client's own retries is a state of the bucket, too.
 */
export async function explainedS3<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const setup = s3SetupProblem(error)
    if (setup !== null) throw new StoreUnusable(`Sluice ${what}: ${setup}`, { cause: error })
    const reason = error instanceof S3ServiceException ? advice(error) : unreachable(error)
    if (reason === null) throw error
    const message = `Sluice ${what}: ${reason}`
    throw error instanceof S3ServiceException && OF_ONE_OBJECT.includes(error.name)
      ? new Error(message, { cause: error })
      : new StoreUnusable(message, { cause: error })
  }
}

/** Cause of a connection failure: a code of the system or of undici, or `TimeoutError`. Null for any other error. */
export function connectionFailure(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && /^(?:E[A-Z]+|UND_.*)$/.test(code)) return code
  return error.name === 'TimeoutError' ? error.name : null
}

/** Null if the connection did not fail. */
export function unreachable(error: unknown): string | null {
  const code = connectionFailure(error)
  return code === null ? null : `the store cannot be reached (${code}).`
}

function advice(error: S3ServiceException): string {
  const status = statusOf(error)
  if (error.name === 'NoSuchBucket' || error.name === 'NotFound') return 'there is no such bucket. Create it first.'
  if (status === 403) return 'access denied. Grant s3:GetObject, PutObject, DeleteObject and ListBucket on it.'
  if (status === 301) return 'the bucket is in another region. Set --s3-region to it.'
  return `the store answered ${error.name} (${status ?? 'no status'}).`
}
