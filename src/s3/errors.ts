import { S3ServiceException } from '@aws-sdk/client-s3'
import { s3SetupProblem } from '#src/document/s3-setup-problem.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'

export function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null
}

const DENIED = 'AccessDenied'

/** One of several objects could not be deleted; `reason` is S3's code. */
export class NotDeleted extends Error {
  override name = 'NotDeleted' as const
  readonly reason: string

  constructor(key: string, reason: string) {
    super(`${key} could not be deleted: ${reason}`)
    this.reason = reason
  }
}

/** A policy forbids it. A request for several objects is refused whole, or for each of them. */
export const isDenied = (error: unknown): boolean =>
  statusOf(error) === 403 || (error instanceof NotDeleted && error.reason === DENIED)

/** Nothing has that name. Not so where there is no bucket: what was in it was paid for. */
export const isAbsent = (error: unknown): boolean =>
  statusOf(error) === 404 && (error as S3ServiceException).name !== 'NoSuchBucket'

/** What can be wrong with one object, while every other could be written. */
const OF_ONE_OBJECT: readonly string[] = ['KeyTooLongError', 'EntityTooLarge', 'InvalidArgument']

/**
 * As `explained` for folders: what the bucket refuses is thrown with one sentence on what failed and what to do. A line
 * that stays broken after the client's own tries is the bucket's state, too.
 */
export async function explainedS3<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const setup = s3SetupProblem(error)
    if (setup !== null) throw new StoreUnusable(`Sluice ${what}: ${setup}`, { cause: error })
    if (!(error instanceof S3ServiceException) && !isBrokenLine(error)) throw error
    const message = `Sluice ${what}: ${advice(error)}`
    throw OF_ONE_OBJECT.includes(error.name)
      ? new Error(message, { cause: error })
      : new StoreUnusable(message, { cause: error })
  }
}

export function isBrokenLine(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    (error.name === 'TimeoutError' || /^(?:E[A-Z]+|UND_.*)$/.test((error as NodeJS.ErrnoException).code ?? ''))
  )
}

function advice(error: S3ServiceException | NodeJS.ErrnoException): string {
  if (!(error instanceof S3ServiceException)) return `the store cannot be reached (${error.code ?? error.name}).`
  const status = error.$metadata.httpStatusCode
  if (error.name === 'NoSuchBucket' || error.name === 'NotFound') return 'there is no such bucket. Create it first.'
  if (status === 403) return 'access denied. Grant s3:GetObject, PutObject, DeleteObject and ListBucket on it.'
  if (status === 301) return 'the bucket is in another region. Set that one.'
  return `the store answered ${error.name} (${status ?? 'no status'}).`
}
