import type { WebNetwork } from '../web-network.ts'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { answerBody } from '../answer-body.ts'
import { FetchRefused } from '../fetch-refused.ts'
import { discard, requestUrl, type UrlAnswer, webAgent } from '../request-url.ts'
import { inUtf8 } from '../utf8-text.ts'
import { webUrl } from '../web-url.ts'
import { type Validators, validatorsOf } from './known-site.ts'
import { NO_INDEX, type PageContent, readPage } from './page-reader.ts'
import { SitePace } from './site-pace.ts'

export interface SiteClientOptions {
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities; default: a direct connection. */
  readonly network?: WebNetwork
  /** Minimum delay between two requests, in ms. */
  readonly delayMs: number
  /** Headers for every request, for example those of a login. */
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBytes: number
  /** Maximum time of an answer with its body, in ms; default: ten minutes. */
  readonly maxAnswerMs?: number
  /** Gets a line when the start page, robots.txt or a sitemap is requested again, and when a text is answered. */
  readonly say?: (line: string) => void
}

/** Result of a request whose answer is not content. */
export type Refused =
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'absent' }
  /** The answer to a conditional request: 304. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string; readonly status: number | null; readonly isTransient: boolean }

interface ReadBody {
  readonly contentType: string
  readonly bytes: number
  readonly validators: Validators
  /** The answer had neither an ETag nor a date. */
  readonly isUnvalidated: boolean
}

/** Result of a request to an address. */
export type Visit =
  | (ReadBody & { readonly kind: 'page'; readonly content: PageContent; readonly isNoIndex: boolean })
  /** Plain text or Markdown. `digest` is the hash of its bytes. */
  | (ReadBody & { readonly kind: 'text'; readonly digest: string })
  /** Any other content; the client did not read its body. */
  | { readonly kind: 'file'; readonly answer: UrlAnswer; readonly contentType: string }
  | Refused

/** Returns the receiver of an answer's bytes, as the site sent them; null if they are not needed again. */
export type KeepBytes = (url: URL, answer: UrlAnswer) => ((bytes: Buffer) => Promise<void>) | null

/** Called before the pause of a repeated request. */
type OnRetry = (reason: string, pauseMs: number) => void

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Maximum number of requests; those that the site throttles count apart. */
  readonly tries?: number
  /** Timeout for the header of an answer. */
  readonly patienceMs?: number
  /** Called before each further request. */
  readonly onRetry?: OnRetry
}

/** Maximum number of concurrent requests to a site. */
export const SITE_CONNECTIONS = 4

const PATIENCE_MS = 30_000
export const TRIES = 3
/** Number of retries after the site throttles a request; each retry waits for the pause that the site states. */
const TRIES_WHEN_REFUSED = 10

/** Some pages never end, such as those of chats: a body within the limit of bytes may drip for days. */
const MAX_ANSWER_MS = 600_000

/** Shortest pause that is reported. */
const MIN_REPORTED_PAUSE_MS = 1_000

/** Maximum number of redirects of robots.txt or a sitemap; RFC 9309, 2.3.1.2 asks for five at least. */
const MAX_REDIRECTS = 10

/** A larger page is fetched again for its document. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i
const TEXT = /^text\/(?:plain|markdown|x-markdown)\b/i

/** Throttled client of one website. It follows no redirect: the walk judges the target. */
export class SiteClient implements AsyncDisposable {
  readonly #options: SiteClientOptions
  readonly #dispatcher: ReturnType<typeof webAgent>
  readonly #pace: SitePace

  constructor(options: SiteClientOptions) {
    this.#options = options
    this.#pace = new SitePace(options.delayMs, SITE_CONNECTIONS)
    this.#dispatcher = webAgent({ ...options, skipTlsVerification: false, patienceMs: PATIENCE_MS })
  }

  /** Applies the crawl delay of robots.txt; the longer of it and the user's own delay wins. */
  slowDown(delayMs: number): void {
    this.#pace.slowDown(delayMs)
  }

  async visit(url: URL, signal: AbortSignal, keep?: KeepBytes, options: GetOptions = {}): Promise<Visit> {
    const read = (answer: UrlAnswer): Promise<Visit> => this.#read(url, answer, keep)
    const got = await this.get(url, read, signal, options)
    if (got.kind !== 'read') return got
    if (got.value.kind !== 'file' || got.value.answer.header('content-encoding') === null) return got.value
    // The version of a file is in its header, and servers give compressed content another ETag and length.
    const plain = await this.get(url, read, signal, { ...options, headers: { 'accept-encoding': 'identity' } })
    return plain.kind === 'read' ? plain.value : plain
  }

  /**
   * Fetches a text other than a page, gunzipped if necessary: robots.txt, a sitemap. It follows redirects to the
   * addresses that `follows` allows.
   */
  async text(
    start: URL,
    follows: (to: URL) => URL | null,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'text'; readonly text: string } | Refused> {
    let url = start
    let waitsSince: number | null = null
    const onRetry = this.reportWait(start, () => (waitsSince = performance.now()))
    for (let hops = 0; ; hops += 1) {
      const got = await this.get(url, (answer) => this.#readText(answer), signal, { onRetry })
      if (waitsSince !== null && got.kind !== 'failed') {
        this.say(`${url.host}${url.pathname}: answered after ${Math.ceil((performance.now() - waitsSince) / 1000)} s`)
        waitsSince = null
      }
      if (got.kind === 'read') return { kind: 'text', text: got.value }
      const to = got.kind === 'redirect' && hops < MAX_REDIRECTS ? webUrl(got.to, url) : null
      const next = to === null ? null : follows(to)
      if (next === null) return got
      url = next
    }
  }

  /** Returns a listener that reports the first long pause before a repeated request. */
  reportWait({ host, pathname }: URL, onWait: () => void = () => undefined): OnRetry {
    let isSaid = false
    return (reason, pauseMs) => {
      if (isSaid || pauseMs < MIN_REPORTED_PAUSE_MS) return
      isSaid = true
      onWait()
      this.say(`${host}${pathname}: ${reason}; next try in ${Math.ceil(pauseMs / 1000)} s`)
    }
  }

  say(line: string): void {
    this.#options.say?.(line)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #read(url: URL, answer: UrlAnswer, keep?: KeepBytes): Promise<Visit> {
    const contentType = answer.header('content-type') ?? ''
    const [isPage, isText] = [PAGE.test(contentType), TEXT.test(contentType)]
    const receive = keep?.(url, answer) ?? null
    if (!isPage && !isText) {
      if (receive !== null && Number(answer.header('content-length') ?? Infinity) <= MAX_KEPT_BYTES) {
        await receive(await collected(answerBody(answer, MAX_KEPT_BYTES)))
      } else discard(answer)
      return { kind: 'file', answer, contentType }
    }
    const isUnvalidated = answer.header('etag') === null && answer.header('last-modified') === null
    const header = { contentType, validators: validatorsOf(answer), isUnvalidated }
    const copy = new Copy(receive === null ? 0 : MAX_KEPT_BYTES)
    const body = inUtf8(copy.through(answerBody(answer, this.#options.maxBytes)), answer)
    // A directive for one named robot has its name before a colon, and concerns others.
    const directive = answer.header('x-robots-tag') ?? ''
    const isNoIndexed = !directive.includes(':') && NO_INDEX.test(directive)
    const visit: Visit = isPage
      ? pageVisit(url, { ...header, ...(await readPage(url, body, contentType)) }, isNoIndexed)
      : { kind: 'text', ...header, ...(await digestOf(body)) }
    const bytes = copy.bytes()
    if (bytes !== null) await receive?.(bytes)
    return visit
  }

  async #readText(answer: UrlAnswer): Promise<string> {
    const bytes = await collected(answerBody(answer, this.#options.maxBytes))
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
    const plain = isPacked ? await unzip(bytes, { maxOutputLength: this.#options.maxBytes }) : bytes
    return plain.toString('utf8')
  }

  /** Fetches an address with the pace and the retries of the site. `read` must read the answer or discard it. */
  async get<T>(
    url: URL,
    read: (answer: UrlAnswer) => Promise<T>,
    signal: AbortSignal,
    options: GetOptions = {},
  ): Promise<Got<T>> {
    const { tries = TRIES, onRetry } = options
    for (let failures = 0, refusals = 0; ;) {
      using _turn = await this.#pace.takeTurn(signal)
      const { got, refusedMs } = await this.#once(url, read, signal, options)
      if (got.kind !== 'failed' || !got.isTransient) return got
      if (refusedMs === null) failures += 1
      else refusals += 1
      if (failures >= tries || refusals > TRIES_WHEN_REFUSED) return got
      onRetry?.(got.reason, refusedMs ?? 0)
    }
  }

  async #once<T>(
    url: URL,
    read: (answer: UrlAnswer) => Promise<T>,
    signal: AbortSignal,
    { headers: extra = {}, patienceMs = PATIENCE_MS }: GetOptions,
  ): Promise<{ readonly got: Got<T>; readonly refusedMs: number | null }> {
    const { allowPrivateAddresses, headers = {}, maxAnswerMs = MAX_ANSWER_MS } = this.#options
    const deadline = AbortSignal.timeout(maxAnswerMs)
    try {
      const dispatcher = this.#dispatcher
      const sent = { 'accept-encoding': 'gzip, deflate, br', ...headers, ...extra }
      const request = { method: 'GET', headers: sent, dispatcher, allowPrivateAddresses, patienceMs } as const
      const asked = requestUrl(url, { ...request, redirects: 'return' }, AbortSignal.any([signal, deadline]))
      this.#pace.recordSent()
      const answer = await asked
      const { statusCode: status } = answer
      const location = answer.header('location')
      const isRefusal = isThrottled(status)
      this.#pace.recordAnswer(isRefusal)
      if (status < 300) return { got: { kind: 'read', value: await read(answer) }, refusedMs: null }
      discard(answer)
      if (status === 304) return { got: { kind: 'unchanged' }, refusedMs: null }
      if (status < 400 && location !== null) return { got: { kind: 'redirect', to: location }, refusedMs: null }
      if (status === 404 || status === 410) return { got: { kind: 'absent' }, refusedMs: null }
      const refusedMs = isRefusal ? this.#pace.recordRefusal(answer.header('retry-after')) : null
      const reason = `the server answered ${status}`
      return { got: { kind: 'failed', reason, status, isTransient: isRefusal || status >= 500 }, refusedMs }
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.aborted) {
        const reason = `its answer takes longer than ${Math.ceil(maxAnswerMs / 60_000)} min`
        return { got: { kind: 'failed', reason, status: null, isTransient: false }, refusedMs: null }
      }
      const { code, message } = error as { readonly code?: string; readonly message?: string }
      const isOurs = error instanceof FetchRefused
      const reason = isOurs ? error.message : `it cannot be fetched now (${code ?? message ?? 'unknown'})`
      return { got: { kind: 'failed', reason, status: null, isTransient: !isOurs }, refusedMs: null }
    }
  }
}

/** True for an answer that asks for a slower pace. */
export const isThrottled = (status: number | null): boolean => status === 429 || status === 503

function pageVisit(url: URL, page: ReadBody & { readonly content: PageContent }, isNoIndexed: boolean): Visit {
  const { refresh, isNoIndex } = page.content
  if (refresh !== null && refresh !== url.href) return { kind: 'redirect', to: refresh }
  return { kind: 'page', ...page, isNoIndex: isNoIndex || isNoIndexed }
}

type Got<T> = { readonly kind: 'read'; readonly value: T } | Refused

/** Copy of a body on its way, up to a limit. */
class Copy {
  readonly #limit: number
  readonly #chunks: Uint8Array[] = []
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length
      if (this.#bytes <= this.#limit) this.#chunks.push(chunk)
      yield chunk
    }
  }

  /** Null for a body over the limit. */
  bytes(): Buffer | null {
    return this.#bytes <= this.#limit ? Buffer.concat(this.#chunks) : null
  }
}

const unzip = promisify(gunzip)

async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function digestOf(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly digest: string; readonly bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    hash.update(chunk)
  }
  return { digest: hash.digest('hex').slice(0, 20), bytes }
}
