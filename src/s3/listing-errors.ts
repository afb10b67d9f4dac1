import { S3ServiceException } from '@aws-sdk/client-s3'
import type { Failure } from '#src/document/failure.ts'
import { s3SetupProblem } from '#src/kit/s3-setup-problem.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { connectionFailure, statusOf, unreachable } from './errors.ts'

/** Refusals of the caller (account, credentials, clock), not of the object: every object would meet them. */
const OF_THE_CALLER: readonly string[] = [
  'AccountProblem',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]

/**
 * Failure of one object after a refusal by the store. Null if the refusal does not concern the object and the caller
 * must rethrow it. The name and status decide, never the message, which compatible stores leave empty.
 */
export function s3Failure(error: unknown, key: string): Failure | null {
  const name = JSON.stringify(key)
  const status = statusOf(error)
  if (error instanceof Error && OF_THE_CALLER.includes(error.name)) return null
  if (status === 404 && !(error instanceof Error && error.name === 'NoSuchBucket')) {
    return { code: 'vanished', stage: 'read', message: `${name} is no longer there.` }
  }
  if (error instanceof Error && error.name === 'InvalidObjectState') {
    return { code: 'unreadable', stage: 'read', message: `${name} is archived in cold storage. Restore it first.` }
  }
  if (status === 403) {
    return {
      code: 'unreadable',
      stage: 'read',
      message: `${name} cannot be read: access denied. Grant s3:GetObject on it.`,
    }
  }
  return null
}

/** Error to throw when a listing fails: one sentence if the store refused it or was unreachable. */
export function listingError(error: unknown, url: string): unknown {
  const reason = reasonOf(error)
  return reason === null ? error : new SourceUnusable(`Sluice cannot list ${url}: ${reason}`, { cause: error })
}

/** Like `listingError`, for one object: failures that concern no object in particular. */
export function readingError(error: unknown, key: string, bucket: string): unknown {
  const reason = reasonOf(error)
  const what = `${JSON.stringify(key)} in s3://${bucket}`
  return reason === null ? error : new SourceUnusable(`Sluice cannot read ${what}: ${reason}`, { cause: error })
}

function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const setup = s3SetupProblem(error)
  if (setup !== null) return setup
  const status = statusOf(error)
  if (error.name === 'NoSuchBucket') return 'there is no such bucket.'
  if (OF_THE_CALLER.includes(error.name))
    return `the store refuses the access key, or the clock of this machine is wrong (${error.name}).`
  if (status === 403) return 'access denied. Grant s3:ListBucket on it.'
  if (status === 301) return 'the bucket is in another region. Set --s3-region to it.'
  if (error instanceof S3ServiceException) return `the store answered ${error.name} (${status ?? 'no status'}).`
  return unreachable(error)
}

/** True if a retry may succeed: the store was unreachable, failed, or throttled the request. */
export function isTransientError(error: unknown): boolean {
  const status = statusOf(error)
  return status === null ? connectionFailure(error) !== null : status >= 500 || status === 429 || status === 408
}
