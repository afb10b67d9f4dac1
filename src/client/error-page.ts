import type { Failure } from '#src/document/failure.ts'
import type { Usage, Verdict } from '#src/document/verdict.ts'
import { fieldsOf } from '@sluice/contract'

/** True if a retry may fetch the page: the site's status is temporary. */
export const isTransientStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

/** Returns the status of the site if the scrape succeeded with the site's error page as the document; else null. */
export function errorPageStatus(data: unknown): number | null {
  const status = fieldsOf(fieldsOf(data)?.metadata)?.statusCode
  return typeof status === 'number' && status >= 400 ? status : null
}

/**
 * Verdict on such a document. The service charges for it nevertheless. No receipt keeps it: another request may get
 * another answer.
 */
export function verdictOnErrorPage(status: number, usage: Usage, retryAfterMs: number | null): Verdict {
  const message = `The site answered ${status}: the service fetched its error page instead of the document.`
  if (isTransientStatus(status)) {
    return {
      kind: 'unavailable',
      code: 'unreadable',
      message,
      serviceCode: null,
      httpStatus: status,
      retryAfterMs,
      remedy: { kind: 'none' },
      countsAgainstService: false,
      errorPage: usage,
    }
  }
  const code = status === 404 || status === 410 ? 'vanished' : 'unreadable'
  const failure: Failure = { code, stage: 'parse', message, httpStatus: status }
  return { kind: 'rejected', failure, remedy: { kind: 'none' }, errorPage: usage }
}
