import { createHash } from 'node:crypto'
import { type Version, version } from '#src/document/ids.ts'
import type { UrlAnswer } from '@sluice/fetch'

/** Version of a URL whose server sends no validator: it counts as unchanged. */
export const UNVERSIONED: Version = version('unversioned')

/** A `Last-Modified` younger than this, by the server's own clock, may change without notice (RFC 9110, 8.8.2.2). */
const WEAK_MS = 60_000

/** Version according to the header: the ETag, else date and length, else nothing. */
export function urlVersion(answer: Pick<UrlAnswer, 'header'>): Version {
  const etag = answer.header('etag')
  if (etag !== null && etag !== '') {
    // Treats weak and strong ETags alike: servers weaken the ETag of compressed content.
    const digest = createHash('sha256').update(etag.replace(/^W\//, '')).digest('hex')
    return version(`etag-${digest.slice(0, 20)}`)
  }
  const modifiedAt = Date.parse(answer.header('last-modified') ?? '')
  const sentAt = Date.parse(answer.header('date') ?? '')
  if (Number.isNaN(modifiedAt) || sentAt - modifiedAt < WEAK_MS) return UNVERSIONED
  return version(`modified-${modifiedAt}-${answer.header('content-length') ?? ''}`)
}
