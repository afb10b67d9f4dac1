import type { FailureCode } from '#src/document/failure.ts'
import type { Limit } from '#src/document/verdict.ts'

/** Meaning of an error body's `code` for the document of the request. */
export type CodeMeaning =
  | { readonly kind: 'rejected'; readonly failure: FailureCode }
  /** Mode `fast` met a scan: only OCR can help. */
  | { readonly kind: 'needs-ocr' }
  /** More pages than the timeout allows; the text names a sufficient timeout. */
  | { readonly kind: 'needs-named-timeout' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'throttled'; readonly limit: Limit }
  /** A failure of this document's processing that may pass; not evidence about the service's health. */
  | { readonly kind: 'try-again' }
  | { readonly kind: 'bad-options' }

const rejected = (failure: FailureCode): CodeMeaning => ({ kind: 'rejected', failure })

/**
 * Codes that are more precise than their status, which often misleads: a scan in mode `fast` is a 500, yet a retry
 * cannot read it. For absent codes (`BAD_REQUEST`, `UNKNOWN_ERROR`, new ones) the status decides.
 */
const MEANINGS: Readonly<Record<string, CodeMeaning>> = {
  UNSUPPORTED_FILE_TYPE: rejected('unsupported_type'),
  SCRAPE_UNSUPPORTED_FILE_ERROR: rejected('unsupported_type'),
  SCRAPE_PDF_ANTIBOT_ERROR: rejected('wrong_type'),
  SCRAPE_PDF_PREFETCH_FAILED: rejected('wrong_type'),
  SCRAPE_ZDR_VIOLATION_ERROR: rejected('service_rejected'),
  SCRAPE_JSON_CONTENT_TOO_LARGE: rejected('service_rejected'),
  SCRAPE_PROMPT_INJECTION_DETECTED: rejected('service_rejected'),
  // For one URL: a site that is blocked, dangerous, or not served without a contract; the service keeps nothing of it.
  UNSAFE_DOMAIN_BLOCKED: rejected('service_rejected'),
  THIRD_PARTY_DATA_TERMS_REQUIRED: rejected('service_rejected'),
  UNSUPPORTED_SITE: rejected('service_rejected'),
  SAFE_MODE_BLOCKED: rejected('service_rejected'),
  SCRAPE_MEDIA_ACCESS_DENIED: rejected('service_rejected'),
  SCRAPE_NO_CACHED_DATA: rejected('service_rejected'),
  SCRAPE_LOCKDOWN_CACHE_MISS: rejected('service_rejected'),
  PARSE_UNSUPPORTED_OPTIONS: { kind: 'bad-options' },
  SCRAPE_PDF_OCR_REQUIRED: { kind: 'needs-ocr' },
  SCRAPE_PDF_INSUFFICIENT_TIME_ERROR: { kind: 'needs-named-timeout' },
  SCRAPE_TIMEOUT: { kind: 'timed-out' },
  CONCURRENCY_QUEUE_TIMEOUT: { kind: 'throttled', limit: 'concurrency' },
  PARSE_UPLOAD_UNPARSED_LIMIT_REACHED: { kind: 'throttled', limit: 'rate' },
  SCRAPE_ALL_ENGINES_FAILED: { kind: 'try-again' },
  SCRAPE_RETRY_LIMIT: { kind: 'try-again' },
  // For a scrape: the site fails, not the service.
  SCRAPE_SITE_ERROR: { kind: 'try-again' },
  SCRAPE_ACTION_ERROR: { kind: 'try-again' },
  SCRAPE_PROXY_SELECTION_ERROR: { kind: 'try-again' },
  SCRAPE_DNS_RESOLUTION_ERROR: rejected('unreadable'),
  SCRAPE_SSL_ERROR: rejected('unreadable'),
  // Codes of our own engine, for causes that only it distinguishes (packages/engine/src).
  DOCUMENT_ENCRYPTED: rejected('encrypted'),
  DOCUMENT_WRONG_TYPE: rejected('wrong_type'),
  DOCUMENT_CORRUPT: rejected('corrupt'),
  DOCUMENT_CRASHES_CONVERTER: rejected('corrupt'),
  DOCUMENT_RESOURCE_LIMIT: rejected('service_rejected'),
  SCRAPE_FETCH_FAILED: { kind: 'try-again' },
  SCRAPE_ADDRESS_FORBIDDEN: rejected('service_rejected'),
}

/** A wrong configuration of the service for one kind of site. */
const CONFIGURATION = /^SCRAPE_\w*CONFIGURATION_ERROR$/

/** Codes of a failure of a site or of a setting: a second attempt shows if it lasts, a fifth adds nothing. */
const TRIED_TWICE = /^SCRAPE_(?:SITE_ERROR|ACTION_ERROR|PROXY_SELECTION_ERROR|\w*CONFIGURATION_ERROR)$/i

/** Maximum number of attempts of a document that fails with this code; null for the default. */
export const mostTries = (code: string | null): number | null => (code !== null && TRIED_TWICE.test(code) ? 2 : null)

/** Null for a code that is not more precise than its status. */
export function meaningOf(code: string | null): CodeMeaning | null {
  if (code === null) return null
  const known = code.toUpperCase()
  if (Object.hasOwn(MEANINGS, known)) return MEANINGS[known] ?? null
  if (CONFIGURATION.test(known)) return { kind: 'try-again' }
  return known.startsWith('SCRAPE_DOCUMENT_') ? rejected('service_rejected') : null
}
