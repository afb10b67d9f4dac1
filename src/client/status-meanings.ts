import type { Limit } from '#src/document/verdict.ts'
import { type ErrorBody, pathsNamedIn } from './error-body.ts'
import type { Asked, Meaning } from './meaning.ts'

/** A model writes these, and may write something else the next time. */
const WRITTEN_BY_A_MODEL: ReadonlySet<string> = new Set(['json', 'summary'])

/** Where no `code` speaks for itself: the contract's general table, and the texts where one status has two meanings. */
export function meaningOfStatus(status: number, error: ErrorBody, { options }: Pick<Asked, 'options'>): Meaning {
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
      return { kind: 'timed_out' }
    case 413:
      return { kind: 'rejected', failure: 'too_large' }
    case 415:
      return { kind: 'rejected', failure: 'unsupported_type' }
    case 422: {
      // "Sometimes": a schema that is wrong is wrong for all; what a model could not do once it may do the next time.
      if (/schema/i.test(error.text) && /invalid|not valid|malformed/i.test(error.text)) return { kind: 'bad_options' }
      const retryable = options.formats.some(({ type }) => WRITTEN_BY_A_MODEL.has(type))
      return retryable ? { kind: 'try_again' } : { kind: 'rejected', failure: 'service_rejected' }
    }
    case 429:
      return { kind: 'throttled', limit: limitNamedIn(error.text) }
    case 500:
      // A self-hosted service that lacks the layout engine says so with a 500, for every PDF.
      return /\b(un)?available because\b.*\bnot configured/i.test(error.text)
        ? { kind: 'bad_options' }
        : { kind: 'down' }
    default:
      return meaningOfOther(status, error)
  }
}

/** "Too many requests" is what services say of either limit. */
function limitNamedIn(text: string): Limit {
  if (/concurren|queue|in parallel|simultaneous/i.test(text)) return 'concurrency'
  return /rate.?limit|\bquota\b|\bper (second|minute|hour|day)\b|\breq(uests)?\/(s|min|h)/i.test(text)
    ? 'rate'
    : 'unknown'
}

/** The contract's addresses, and redirects from them: a proxy that stands before a service answers these in its name. */
const OF_THE_ADDRESS = (status: number): boolean => status === 404 || status === 405 || status < 400

/** A proxy wants a login, or a network does. */
const OF_A_PROXY: ReadonlySet<number> = new Set([407, 511])

/** No code says that it is the document: it may be every document's, and a body that is no JSON is not the service's at all. */
function meaningOfOther(status: number, { fields }: ErrorBody): Meaning {
  // An unknown 5xx is a 500 (RFC 9110, 15); 425 asks for a later try.
  if (!OF_A_PROXY.has(status) && (status >= 500 || status === 425)) return { kind: 'down' }
  if (OF_THE_ADDRESS(status)) return { kind: 'refused', cause: 'address' }
  return { kind: 'refused', cause: OF_A_PROXY.has(status) || fields === null ? 'proxy' : 'address' }
}

/** Whether all that `details` finds fault with is the document: its URL, its file. */
function isAboutDocument(details: unknown): boolean {
  const paths = pathsNamedIn(details)
  return paths.length > 0 && paths.every((path) => /^(?:body\.)?(?:url|file)(?:\.|$)/.test(path))
}

/** A 400 is about the options, and then all documents will meet it, or about this one file. */
function meaningOfBadRequest(error: ErrorBody): Meaning {
  const { text, details } = error
  if (/exceeds? (the )?maximum size|too large/i.test(text)) return { kind: 'rejected', failure: 'too_large' }
  if (/unsupported (file|format|extension)/i.test(text)) return { kind: 'rejected', failure: 'unsupported_type' }
  if (isAboutDocument(details)) return { kind: 'rejected', failure: 'service_rejected' }
  const fields = details !== null && typeof details === 'object' && Object.keys(details).length > 0
  const options = fields || /unrecogni[sz]ed key|\boptions?\b|validation/i.test(text)
  return options ? { kind: 'bad_options' } : meaningOfOther(400, error)
}
