import {
  type WebNetwork,
  answerBody,
  FetchRefused,
  type FetchRefusal,
  fileNameOf,
  requestUrl,
  webAgent,
} from '@sluice/fetch'
import { webUrl } from '@sluice/fetch/urls'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { assertNever } from '../assert-never.ts'
import { ApiError } from '../api-error.ts'

export interface FetchOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly skipTlsVerification: boolean
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities. Default: a direct connection. */
  readonly network?: WebNetwork
  readonly maxBytes: number
}

/** A page or document in a local file. */
export interface FetchedDocument {
  /** Final URL, after redirects. */
  readonly url: URL
  readonly statusCode: number
  readonly contentType: string | null
  /** File name in a `Content-Disposition` header, or null. */
  readonly fileName: string | null
  /** `Retry-After` header of an error page. */
  readonly retryAfter: string | null
}

const invalidUrl = (): ApiError => new ApiError({ status: 400, code: 'BAD_REQUEST', message: 'Invalid URL' })

export function scrapeUrl(text: unknown): URL {
  const url = typeof text === 'string' ? webUrl(text) : null
  if (url === null) throw invalidUrl()
  return url
}

function refusal(reason: FetchRefusal, message: string, maxBytes: number): ApiError {
  const limit = `${Math.floor(maxBytes / 1024 ** 2)}MB`
  const tooLarge = `Payload Too Large: the document is larger than ${limit}.`
  switch (reason) {
    case 'private_address':
      return new ApiError({ status: 403, code: 'SCRAPE_ADDRESS_FORBIDDEN', message: `Forbidden: ${message}.` })
    case 'bad_redirect':
      return invalidUrl()
    case 'too_many_redirects':
      return new ApiError({ status: 502, code: 'SCRAPE_FETCH_FAILED', message: `Bad Gateway: ${message}.` })
    case 'too_large':
      return new ApiError({ status: 413, code: 'PAYLOAD_TOO_LARGE', message: tooLarge })
    default:
      return assertNever(reason)
  }
}

/**
 * Maps an error to one of the API. A private address is forbidden. Any other error is the fault of the remote server,
 * unless the engine refused the request.
 */
function asApiError(error: unknown, maxBytes: number, signal: AbortSignal): unknown {
  if (signal.aborted) return error
  if (error instanceof FetchRefused) return refusal(error.reason, error.message, maxBytes)
  const { name, code } = error as { readonly name?: string; readonly code?: string }
  const message = `Bad Gateway: the URL could not be fetched (${code ?? name ?? 'unknown'}).`
  return new ApiError({ status: 502, code: 'SCRAPE_FETCH_FAILED', message, cause: error })
}

/**
 * Fetches a document into `path`, at most `maxBytes`, and follows redirects. Rejects addresses of private networks
 * unless allowed, at the first request and at every redirect.
 */
export async function fetchDocument(
  url: URL,
  path: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  const { headers, allowPrivateAddresses, maxBytes } = options
  const dispatcher = webAgent(options)
  try {
    const answer = await requestUrl(url, { method: 'GET', headers, allowPrivateAddresses, dispatcher }, signal)
    await pipeline(answerBody(answer, maxBytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    const { url: last, statusCode } = answer
    const retryAfter = statusCode >= 400 ? answer.header('retry-after') : null
    const contentType = answer.header('content-type')
    return { url: last, statusCode, contentType, fileName: fileNameOf(answer), retryAfter }
  } catch (error) {
    throw asApiError(error, maxBytes, signal)
  } finally {
    await dispatcher.destroy()
  }
}
