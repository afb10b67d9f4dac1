import type { Limit } from '#src/document/verdict.ts'
import { type ErrorBody, pathsNamedIn } from './error-body.ts'
import type { RequestContext, Meaning } from './meaning.ts'

/** Formats that a model writes, so that a retry may give another result. */
const WRITTEN_BY_A_MODEL: ReadonlySet<string> = new Set(['json', 'summary'])

/**
 * Meaning of an answer without a decisive `code`: the contract's general table, and the texts that distinguish two
 * meanings of a status.
 */
export function meaningOfStatus(
  status: number,
  error: ErrorBody,
  { options }: Pick<RequestContext, 'options'>,
): Meaning {
  switch (status) {
    case 400:
      return meaningOfBadRequest(error)
    case 401:
      return { kind: 'halted', cause: 'key' }
    case 402:
      return { kind: 'halted', cause: 'credits' }
    case 403:
      return { kind: 'refused', cause: 'permission' }
    case 408:
      return { kind: 'timed-out' }
    case 413:
      return { kind: 'rejected', failure: 'too_large' }
    case 415:
      return { kind: 'rejected', failure: 'unsupported_type' }
    case 422: {
      // "Sometimes": a wrong schema fails for all documents, but a failure of the model may pass in a retry.
      if (/schema/i.test(error.text) && /invalid|not valid|malformed/i.test(error.text)) return { kind: 'bad-options' }
      const retryable = options.formats.some(({ type }) => WRITTEN_BY_A_MODEL.has(type))
      return retryable ? { kind: 'try-again' } : { kind: 'rejected', failure: 'service_rejected' }
    }
    case 429:
      return { kind: 'throttled', limit: limitNamedIn(error.text) }
    case 500:
      // A self-hosted service without the layout engine answers with a 500 for every PDF.
      return /\b(un)?available because\b.*\bnot configured/i.test(error.text)
        ? { kind: 'bad-options' }
        : { kind: 'down' }
    default:
      return meaningOfOther(status, error)
  }
}

/** Services use "Too many requests" for either limit. */
function limitNamedIn(text: string): Limit {
  if (/concurren|queue|in parallel|simultaneous/i.test(text)) return 'concurrency'
  return /rate.?limit|\bquota\b|\bper (second|minute|hour|day)\b|\breq(uests)?\/(s|min|h)/i.test(text)
    ? 'rate'
    : 'unknown'
}

/** Addresses of the contract, and redirects from them: a proxy in front of a service answers these in its name. */
const OF_THE_ADDRESS = (status: number): boolean => status === 404 || status === 405 || status < 400

/** A proxy or a network requires a login. */
const OF_A_PROXY: ReadonlySet<number> = new Set([407, 511])

/**
 * No code blames the document, so the refusal may concern all documents; a body other than JSON does not come from the
 * service.
 */
function meaningOfOther(status: number, { fields }: ErrorBody): Meaning {
  // An unknown 5xx is a 500 (RFC 9110, 15); 425 asks for a later retry.
  if (!OF_A_PROXY.has(status) && (status >= 500 || status === 425)) return { kind: 'down' }
  if (OF_THE_ADDRESS(status)) return { kind: 'refused', cause: 'address' }
  return { kind: 'refused', cause: OF_A_PROXY.has(status) || fields === null ? 'proxy' : 'address' }
}

/** True if `details` blames the document only: its URL, its file. */
function isAboutDocument(details: unknown): boolean {
  const paths = pathsNamedIn(details)
  return paths.length > 0 && paths.every((path) => /^(?:body\.)?(?:url|file)(?:\.|$)/.test(path))
}

/** A 400 concerns the options, and then all documents, or this one file. */
function meaningOfBadRequest(error: ErrorBody): Meaning {
  const { text, details } = error
  if (/exceeds? (the )?maximum size|too large/i.test(text)) return { kind: 'rejected', failure: 'too_large' }
  if (/unsupported (upload|file|format|extension)/i.test(text)) return { kind: 'rejected', failure: 'unsupported_type' }
  if (isAboutDocument(details)) return { kind: 'rejected', failure: 'service_rejected' }
  const fields = details !== null && typeof details === 'object' && Object.keys(details).length > 0
  const options = fields || /unrecogni[sz]ed key|\boptions?\b|validation/i.test(text)
  return options ? { kind: 'bad-options' } : meaningOfOther(400, error)
}
