import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { classify, type HttpAnswer } from '#src/client/classify.ts'
import { EXTENSIONS_HEADER, formatOf } from '@sluice/contract'
import { clientTimeoutMs, localTimeoutMs, LONGEST_REQUEST_MS, serverTimeoutMs } from '#src/client/timeouts.ts'
import type { Verdict } from '#src/document/verdict.ts'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import type { Parser, ParseRequest } from '#src/ports/parser.ts'
import { sentOptions } from '#src/client/sent-options.ts'
import { ACCEPTED_ENCODINGS, decodedAnswer } from './decode-body.ts'
import type { RestingConnections } from './dispatcher.ts'
import { DIRECT, type WayOut } from './way-out.ts'
import { exchange } from './exchange.ts'
import { verdictOnFailure } from './line-failures.ts'
import { withoutKey } from './without-key.ts'
import { MULTIPART_TYPE, multipartBody, type RequestBody } from './multipart.ts'

export interface HttpParserOptions {
  /** Base address; `/v2/parse` and `/v2/scrape` are added to it. A function where it may change between requests. */
  readonly baseUrl: URL | (() => URL)
  /** Null sends no `Authorization`: the embedded engine asks for none. */
  readonly apiKey: string | null
  /** Value of `Authorization` instead of a key; default none. */
  readonly login?: string | null
  /** Requests at once at the most, and connections that are kept alive. */
  readonly concurrency: number
  readonly userAgent: string
  /** Default: directly, trusting the certificate authorities of Node. */
  readonly wayOut?: WayOut
  /** Longest answer that is accepted, before and after decompression. */
  readonly maxAnswerBytes?: number
  /** What records name as the service; the base address by default. */
  readonly service?: string
  /** As `Parser.ready`; a service elsewhere is always ready. */
  readonly ready?: Parser['ready']
  /** The embedded engine: it counts processing time, which on a busy machine is longer by the clock. */
  readonly isLocal?: boolean
  /** Longest wait for one whole request; default: what its timeout and its size ask for. */
  readonly timeoutMs?: (request: ParseRequest) => number
}

const DEFAULT_MAX_ANSWER_BYTES = 256 * 1024 * 1024

const UNLIMITED = new AnswerMemory(Infinity)

/** The service over HTTP: one request, one whole answer, one verdict; it never tries again by itself. */
export class HttpParser implements Parser, AsyncDisposable {
  readonly service: string
  readonly #options: HttpParserOptions
  /** Made with the first request: a run that sends none does not load undici. */
  #connections: Promise<RestingConnections> | null = null
  readonly #baseUrl: () => URL
  readonly #headers: Readonly<Record<string, string>>

  constructor(options: HttpParserOptions) {
    const { baseUrl, apiKey, login = null, userAgent } = options
    this.#options = options
    this.#baseUrl = typeof baseUrl === 'function' ? baseUrl : () => baseUrl
    this.service = options.service ?? `${this.#baseUrl().origin}${pathOf(this.#baseUrl())}`
    this.#headers = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      'user-agent': userAgent,
      [EXTENSIONS_HEADER]: '1',
      ...(apiKey === null ? {} : { authorization: login ?? `Bearer ${apiKey}` }),
    }
  }

  async ready(signal: AbortSignal): Promise<string | null> {
    return (await this.#options.ready?.(signal)) ?? null
  }

  async parse(unsized: ParseRequest, signal: AbortSignal): Promise<Verdict> {
    signal.throwIfAborted()
    const { isLocal = false } = this.#options
    const request = withTimeFor(unsized, isLocal ? localTimeoutMs : serverTimeoutMs)
    const { address } = request
    const body = address === undefined ? await multipartBody(request, signal) : scrapeBody(address, request)
    try {
      const answer = await this.#ask(request, body, signal)
      return withoutKey(
        classify(answer, { options: request.options, byAddress: address !== undefined, isLocal, nowMs: Date.now() }),
        this.#options.apiKey,
        this.#options.login,
      )
    } catch (error) {
      signal.throwIfAborted()
      const unread = body.readFailure()
      if (unread !== null) throw unread.error
      if (error instanceof RequestWithdrawn) throw error
      return verdictOnFailure(error as Error, this.service)
    }
  }

  /** Drops what is in flight: the caller has aborted or awaited it before. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#connections)?.destroy()
  }

  #connected(): Promise<RestingConnections> {
    const { concurrency, wayOut = DIRECT } = this.#options
    return (this.#connections ??= import('./dispatcher.ts').then(
      (made) => new made.RestingConnections(concurrency, wayOut),
    ))
  }

  async #ask(request: ParseRequest, body: RequestBody, signal: AbortSignal): Promise<HttpAnswer> {
    const { maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES, isLocal = false } = this.#options
    const { timeoutMs = isLocal ? () => LONGEST_REQUEST_MS : usualTimeoutMs } = this.#options
    const [operation, type] =
      request.address === undefined ? ['parse', MULTIPART_TYPE] : ['scrape', 'application/json; charset=utf-8']
    const { traceparent } = request
    const headers = { ...this.#headers, 'content-type': type, ...(traceparent === undefined ? {} : { traceparent }) }
    const baseUrl = this.#baseUrl()
    const at = { origin: baseUrl.origin, path: `${pathOf(baseUrl)}/v2/${operation}` }
    const { hold = UNLIMITED.hold(), maySend = () => true } = request
    const options = { ...at, headers, body, timeoutMs: timeoutMs(request), maxAnswerBytes, hold, maySend }
    const connections = await this.#connected()
    const raw = await connections.use((connection) => exchange(connection, options, signal))
    return decodedAnswer(raw, { maxBytes: maxAnswerBytes, hold }, signal)
  }
}

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '')

/** The options' timeout is for a small document; a large one is given more (`serverTimeoutMs`). */
function withTimeFor(request: ParseRequest, timeoutMs: typeof serverTimeoutMs): ParseRequest {
  const { options, bytes, extension, pages = null } = request
  const timeout = timeoutMs(options, { bytes, family: formatOf(extension).family, pages })
  return { ...request, options: { ...options, timeout } }
}

const usualTimeoutMs = ({ options, bytes }: ParseRequest): number => clientTimeoutMs(options.timeout, bytes)

/**
 * The body of `POST /v2/scrape`: the address, and the same options as for parse. `maxAge` asks for the document as it is
 * now: services may answer a scrape from what they kept of another day.
 */
function scrapeBody(address: string, { options }: Pick<ParseRequest, 'options'>): RequestBody {
  const content = Buffer.from(JSON.stringify({ url: address, ...sentOptions(options), maxAge: 0 }))
  return { content, bytes: content.length, readFailure: () => null }
}
