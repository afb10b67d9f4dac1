import { Pool } from 'undici'
import { classify, type HttpAnswer } from '#src/contract/classify.ts'
import { clientTimeoutMs } from '#src/contract/timeouts.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { Parser, ParseRequest } from '#src/ports.ts'
import { RequestTimeout, verdictOnFailure } from './line-failures.ts'
import { CONTENT_TYPE, multipartBody } from './multipart.ts'
import { ACCEPTED_ENCODINGS, decode, readBody } from './read-body.ts'
import { WatchedRead } from './watched-read.ts'

export interface HttpParserOptions {
  /** Base address; `/v2/parse` is added to it. */
  readonly baseUrl: URL
  /** Null sends no `Authorization`: the embedded engine asks for none. */
  readonly apiKey: string | null
  /** Requests at once at the most, and connections that are kept alive. */
  readonly concurrency: number
  readonly userAgent: string
  /** Longest answer that is accepted, before and after decompression. */
  readonly maxAnswerBytes?: number
  /** What records name as the service; the base address by default. */
  readonly service?: string
  /** Waits for one whole request; by default as long as its timeout and its size ask for. Tests shorten it. */
  readonly timeoutMs?: (request: ParseRequest) => number
}

export const DEFAULT_MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** The service over HTTP: one request, one whole answer, one verdict; it never tries again by itself. */
export class HttpParser implements Parser, AsyncDisposable {
  readonly service: string
  readonly #options: HttpParserOptions
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(options: HttpParserOptions) {
    const { baseUrl, apiKey, concurrency, userAgent } = options
    this.#options = options
    this.service = options.service ?? `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, '')}`
    this.#path = `${baseUrl.pathname.replace(/\/+$/, '')}/v2/parse`
    this.#headers = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      'content-type': CONTENT_TYPE,
      'user-agent': userAgent,
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    }
    // One clock for the whole request, ours: undici's would measure the parts, and a body that trickles passes them all.
    this.#pool = new Pool(baseUrl.origin, { connections: concurrency, headersTimeout: 0, bodyTimeout: 0 })
  }

  async parse(request: ParseRequest, signal: AbortSignal): Promise<Verdict> {
    signal.throwIfAborted()
    const timeoutMs = this.#options.timeoutMs?.(request) ?? clientTimeoutMs(request.options.timeout, request.bytes)
    const cut = new AbortController()
    const late = setTimeout(() => cut.abort(new RequestTimeout(`none came in ${timeoutMs} ms`)), timeoutMs)
    const stop = (): void => cut.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const source = new WatchedRead(request)
    try {
      const answer = await this.#exchange(source.request, cut.signal)
      return classify(answer, { options: request.options, nowMs: Date.now() })
    } catch (error) {
      signal.throwIfAborted()
      if (source.failure !== null) throw source.failure.error
      return verdictOnFailure(cut.signal.aborted ? (cut.signal.reason as Error) : (error as Error), this.service)
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', stop)
    }
  }

  /** Drops what is in flight: whoever closes has aborted or awaited it before. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy()
  }

  async #exchange(request: ParseRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const capBytes = this.#options.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES
    const { body, bytes } = await multipartBody(request, signal)
    const sentAt = performance.now()
    const response = await this.#pool.request({
      method: 'POST',
      path: this.#path,
      headers: { ...this.#headers, 'content-length': String(bytes) },
      body,
      signal,
    })
    const raw = await readBody(response.body, capBytes)
    const encoding = [response.headers['content-encoding']].flat().join(',')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: await decode(raw, encoding, capBytes),
      durationMs: performance.now() - sentAt,
    }
  }
}
