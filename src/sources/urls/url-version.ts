import { createHash } from 'node:crypto'
import { type Version, version } from '#src/document/ids.ts'
import type { UrlAnswer } from '@sluice/fetch'

/** Of a URL whose server sends nothing by which a change could be seen: it is taken for unchanged. */
export const UNVERSIONED: Version = version('unversioned')

/** A `Last-Modified` that is younger than this by the server's own clock may change without notice (RFC 9110, 8.8.2.2). */
const WEAK_MS = 60_000

/** What a server says of the version of what it sends: its ETag, else date and length, else nothing. */
export function urlVersion(answer: Pick<UrlAnswer, 'header'>): Version {
  const etag = answer.header('etag')
  if (etag !== null && etag !== '') {
    // Weak or strong is the same to us: servers weaken what they compress.
    const digest = createHash('sha256').update(etag.replace(/^W\//, '')).digest('hex')
    return version(`etag-${digest.slice(0, 20)}`)
  }
  const modifiedAt = Date.parse(answer.header('last-modified') ?? '')
  const sentAt = Date.parse(answer.header('date') ?? '')
  if (Number.isNaN(modifiedAt) || sentAt - modifiedAt < WEAK_MS) return UNVERSIONED
  return version(`modified-${modifiedAt}-${answer.header('content-length') ?? ''}`)
}
