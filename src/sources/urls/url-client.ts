import { type WebNetwork, FetchRefused, discard, requestUrl, type UrlAnswer, webAgent } from '@sluice/fetch'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure, FailureCode } from '#src/document/failure.ts'

export interface UrlClientOptions {
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities; default: a direct connection. */
  readonly network?: WebNetwork
  /** `return`: a redirect is an answer with its status. Default `follow`. */
  readonly redirects?: 'follow' | 'return'
}

/** Number of attempts of one request, and the backoff before the second; it doubles. */
const TRIES = 3
const FIRST_PAUSE_MS = 500

/** Timeout for the header of an answer and between two chunks of its body. */
const PATIENCE_MS = 30_000

/** Maximum number of connections per server: a list often names hundreds of its pages. */
const CONNECTIONS = 8

/** HTTP client for the open web: it blocks private networks, follows redirects, and retries temporary errors. */
export class UrlClient implements AsyncDisposable {
  readonly #options: UrlClientOptions
  readonly #dispatcher: ReturnType<typeof webAgent>

  constructor(options: UrlClientOptions) {
    this.#options = options
    this.#dispatcher = webAgent({
      ...options,
      skipTlsVerification: false,
      connections: CONNECTIONS,
      patienceMs: PATIENCE_MS,
    })
  }

  /** Returns an answer with a status below 400, whose body the caller must read or discard; else the failure. */
  async ask(method: 'GET' | 'HEAD', url: URL, signal: AbortSignal): Promise<UrlAnswer | Failure> {
    for (let tries = 1, pauseMs = FIRST_PAUSE_MS; ; tries += 1, pauseMs *= 2) {
      const { answer, isTransient } = await this.#askOnce(method, url, signal)
      if (!isTransient || tries === TRIES) return answer
      await sleep(pauseMs, undefined, { signal })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #askOnce(
    method: 'GET' | 'HEAD',
    url: URL,
    signal: AbortSignal,
  ): Promise<{ readonly answer: UrlAnswer | Failure; readonly isTransient: boolean }> {
    try {
      const options = { ...this.#options, method, headers: {}, dispatcher: this.#dispatcher }
      const answer = await requestUrl(url, options, signal)
      if (answer.statusCode < 400) return { answer, isTransient: false }
      discard(answer)
      return {
        answer: statusFailure(answer.statusCode),
        isTransient: answer.statusCode === 429 || answer.statusCode >= 500,
      }
    } catch (error) {
      signal.throwIfAborted()
      const failure = connectionFailure(error)
      return { answer: failure, isTransient: !(error instanceof FetchRefused) }
    }
  }
}

const REFUSED: Readonly<Record<FetchRefused['reason'], FailureCode>> = {
  private_address: 'unreadable_name',
  bad_redirect: 'unreadable',
  too_many_redirects: 'unreadable',
  too_large: 'too_large',
}

/** Converts a connection error into the failure of its document. */
export function connectionFailure(error: unknown): Failure {
  if (error instanceof FetchRefused) {
    const advice = error.reason === 'private_address' ? '; --allow-private-addresses permits it' : ''
    return { code: REFUSED[error.reason], stage: 'read', message: `${error.message}${advice}` }
  }
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return {
    code: 'unreadable',
    stage: 'read',
    message: `the URL cannot be fetched now (${code ?? message ?? 'unknown'})`,
  }
}

function statusFailure(status: number): Failure {
  const code = status === 404 || status === 410 ? 'vanished' : 'unreadable'
  return { code, stage: 'read', message: `the server answered ${status}`, httpStatus: status }
}
