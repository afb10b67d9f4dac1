import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { classify, type HttpAnswer } from '#src/client/classify.ts'
import { EXTENSIONS_HEADER, formatOf } from '@sluice/contract'
import { clientTimeoutMs, localTimeoutMs, MAX_REQUEST_MS, serverTimeoutMs } from '#src/client/timeouts.ts'
import type { Verdict } from '#src/document/verdict.ts'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import type { Parser, ParseRequest } from '#src/ports/parser.ts'
import type { FetchedDocument } from '#src/ports/source.ts'
import { sentOptions } from '#src/client/sent-options.ts'
import { ACCEPTED_ENCODINGS, decodedAnswer } from './decode-body.ts'
import { RestingConnections } from './dispatcher.ts'
import { DIRECT_NETWORK, type ServiceNetwork } from './service-network.ts'
import { exchange } from './exchange.ts'
import { verdictOnFailure } from './verdict-on-failure.ts'
import { withoutKey } from './without-key.ts'
import { MULTIPART_TYPE, multipartBody, type RequestBody } from './multipart.ts'
import { pathOf } from './service-connection.ts'

export interface HttpParserOptions {
  /** Base address; requests append `/v2/parse` or `/v2/scrape`. A function if it may change between requests. */
  readonly baseUrl: URL | (() => URL)
  /** Null sends no `Authorization` header: the embedded engine requires none. */
  readonly apiKey: string | null
  /** Value of the `Authorization` header instead of a key; default none. */
  readonly login?: string | null
  /** Maximum number of concurrent requests, and of connections kept alive. */
  readonly concurrency: number
  readonly userAgent: string
  /** Default: a direct connection that trusts the certificate authorities of Node. */
  readonly network?: ServiceNetwork
  /** Maximum size of an answer, before and after decompression. */
  readonly maxAnswerBytes?: number
  /** Name of the service in records; default: the base address. */
  readonly service?: string
  /** Same as `Parser.ready`; a remote service is always ready. */
  readonly ready?: Parser['ready']
  /** True for the embedded engine: it counts processing time, which on a busy machine exceeds wall clock time. */
  readonly isLocal?: boolean
  /** Timeout of a complete request; default: derived from its `timeout` and its size. */
  readonly timeoutMs?: (request: ParseRequest) => number
}

/** With the address and the name that `HttpParser` gives to all requests. */
type RequestsOptions = Omit<HttpParserOptions, 'baseUrl' | 'service' | 'ready'> & {
  readonly baseUrl: () => URL
  readonly service: string
}

interface Operation {
  readonly path: 'parse' | 'scrape'
  /** Content type of the request. */
  readonly type: string
}

const PARSE: Operation = { path: 'parse', type: MULTIPART_TYPE }
const SCRAPE: Operation = { path: 'scrape', type: 'application/json; charset=utf-8' }
/** Extension of the embedded engine: a scrape with the bytes of the page. */
const SCRAPE_BYTES: Operation = { path: 'scrape', type: MULTIPART_TYPE }

const DEFAULT_MAX_ANSWER_BYTES = 256 * 1024 * 1024

const UNLIMITED = new AnswerMemory(Infinity)

/** Sends the requests of `HttpParser`. */
export class HttpRequests {
  readonly #options: RequestsOptions
  readonly #connections: RestingConnections
  readonly #headers: Readonly<Record<string, string>>

  constructor(options: RequestsOptions) {
    const { apiKey, login = null, userAgent, concurrency, network = DIRECT_NETWORK } = options
    this.#options = options
    this.#connections = new RestingConnections(concurrency, network)
    this.#headers = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      'user-agent': userAgent,
      [EXTENSIONS_HEADER]: '1',
      ...(apiKey === null ? {} : { authorization: login ?? `Bearer ${apiKey}` }),
    }
  }

  async parse(unsized: ParseRequest, signal: AbortSignal): Promise<Verdict> {
    const { isLocal = false } = this.#options
    const request = withTimeFor(unsized, isLocal ? localTimeoutMs : serverTimeoutMs)
    const { address } = request
    if (address === undefined) return await this.#send(request, PARSE, await multipartBody(request, signal), signal)
    if (!isLocal || request.fetch === undefined) {
      return await this.#send(request, SCRAPE, scrapeBody(address, request), signal)
    }
    const fetched = await request.fetch(signal)
    if ('code' in fetched) return { kind: 'rejected', failure: fetched, remedy: { kind: 'none' } }
    await using page = fetched
    return await this.#send(request, SCRAPE_BYTES, await pageBody(address, page, request, signal), signal)
  }

  async #send(request: ParseRequest, operation: Operation, body: RequestBody, signal: AbortSignal): Promise<Verdict> {
    const { isLocal = false } = this.#options
    try {
      const answer = await this.#ask(request, operation, body, signal)
      return withoutKey(
        classify(answer, {
          options: request.options,
          byAddress: request.address !== undefined,
          isLocal,
          nowMs: Date.now(),
        }),
        this.#options.apiKey,
        this.#options.login,
      )
    } catch (error) {
      signal.throwIfAborted()
      const unread = body.readFailure()
      if (unread !== null) throw unread.error
      if (error instanceof RequestWithdrawn) throw error
      return verdictOnFailure(error as Error, this.#options.service)
    }
  }

  destroy(): Promise<void> {
    return this.#connections.destroy()
  }

  async #ask(
    request: ParseRequest,
    { path, type }: Operation,
    body: RequestBody,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const { maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES, isLocal = false } = this.#options
    const { timeoutMs = isLocal ? () => MAX_REQUEST_MS : usualTimeoutMs } = this.#options
    const { traceparent } = request
    const headers = { ...this.#headers, 'content-type': type, ...(traceparent === undefined ? {} : { traceparent }) }
    const baseUrl = this.#options.baseUrl()
    const at = { origin: baseUrl.origin, path: `${pathOf(baseUrl)}/v2/${path}` }
    const { hold = UNLIMITED.hold(), maySend = () => true } = request
    const options = { ...at, headers, body, timeoutMs: timeoutMs(request), maxAnswerBytes, hold, maySend }
    const raw = await this.#connections.use((connection) => exchange(connection, options, signal))
    return decodedAnswer(raw, { maxBytes: maxAnswerBytes, hold }, signal)
  }
}

/** Adapts the timeout. The options' value suits a small document; a large one gets more (`serverTimeoutMs`). */
function withTimeFor(request: ParseRequest, timeoutMs: typeof serverTimeoutMs): ParseRequest {
  const { options, bytes, extension, pages = null } = request
  const timeout = timeoutMs(options, { bytes, family: formatOf(extension).family, pages })
  return { ...request, options: { ...options, timeout } }
}

const usualTimeoutMs = ({ options, bytes }: ParseRequest): number => clientTimeoutMs(options.timeout, bytes)

/**
 * Builds the body of `POST /v2/scrape`: the address, and the same options as for parse. `maxAge` requests the present
 * document, because services may answer a scrape from a cache.
 */
function scrapeBody(address: string, { options }: Pick<ParseRequest, 'options'>): RequestBody {
  const content = Buffer.from(JSON.stringify({ url: address, ...sentOptions(options), maxAge: 0 }))
  return { content, bytes: content.length, readFailure: () => null }
}

/** Builds the body of a scrape that needs no request to the site: address and type of the page, then its bytes. */
function pageBody(
  url: string,
  page: FetchedDocument,
  request: ParseRequest,
  signal: AbortSignal,
): Promise<RequestBody> {
  const { contentType, fileName, bytes } = page
  const fields = { url, fetched: { contentType, fileName } }
  return multipartBody({ ...request, bytes, read: (again) => page.read(again) }, signal, fields)
}
