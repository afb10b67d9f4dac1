import { S3ServiceException } from '@aws-sdk/client-s3'
import type { Failure } from '#src/document/failure.ts'

function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null
}

/**
 * What the store's refusal means for one object; null when it is not about the object, and must be thrown on. Told by
 * name and status, never by message: compatible stores leave it empty.
 */
export function s3Failure(error: unknown, key: string): Failure | null {
  const name = JSON.stringify(key)
  const status = statusOf(error)
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
