import type { Verdict } from '#src/document/verdict.ts'
import type { Parser, ParseRequest } from '#src/ports/parser.ts'
import type { HttpParserOptions, HttpRequests } from './http-requests.ts'
import { pathOf } from './service-connection.ts'

/** The service over HTTP: one request, one complete answer, one verdict; it never retries. */
export class HttpParser implements Parser, AsyncDisposable {
  readonly service: string
  readonly #options: HttpParserOptions
  readonly #baseUrl: () => URL
  /** Created with the first request: a run without requests does not load undici. */
  #requests: Promise<HttpRequests> | null = null

  constructor(options: HttpParserOptions) {
    const { baseUrl } = options
    this.#options = options
    this.#baseUrl = typeof baseUrl === 'function' ? baseUrl : () => baseUrl
    this.service = options.service ?? `${this.#baseUrl().origin}${pathOf(this.#baseUrl())}`
  }

  async ready(signal: AbortSignal): Promise<string | null> {
    return (await this.#options.ready?.(signal)) ?? null
  }

  async parse(request: ParseRequest, signal: AbortSignal): Promise<Verdict> {
    signal.throwIfAborted()
    return (await (this.#requests ??= this.#open())).parse(request, signal)
  }

  /** Closes the connections. The caller aborts or awaits its requests before. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#requests)?.destroy()
  }

  async #open(): Promise<HttpRequests> {
    const { HttpRequests } = await import('./http-requests.ts')
    return new HttpRequests({ ...this.#options, baseUrl: this.#baseUrl, service: this.service })
  }
}
