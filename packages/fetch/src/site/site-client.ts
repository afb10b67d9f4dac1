import type { WebNetwork } from '../web-network.ts'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { answerBody } from '../answer-body.ts'
import { FetchRefused } from '../fetch-refused.ts'
import { discard, requestUrl, type UrlAnswer, webAgent } from '../request-url.ts'
import { inUtf8 } from '../utf8-text.ts'
import { type PageContent, PageReader } from './page-reader.ts'
import { SitePace } from './site-pace.ts'

export interface SiteClientOptions {
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities; default: a direct connection. */
  readonly network?: WebNetwork
  /** Minimum delay between two requests, in ms. */
  readonly delayMs: number
  /** Maximum number of concurrent requests. */
  readonly connections: number
  readonly maxBytes: number
}

/** Result of a request to an address. */
export type Visit =
  | { readonly kind: 'page'; readonly content: PageContent; readonly contentType: string; readonly bytes: number }
  /** Plain text or Markdown. `digest` is the hash of its bytes. */
  | { readonly kind: 'text'; readonly digest: string; readonly contentType: string; readonly bytes: number }
  /** Any other content; the client did not read its body. */
  | { readonly kind: 'file'; readonly answer: UrlAnswer; readonly contentType: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly reason: string; readonly status: number | null }

const PATIENCE_MS = 30_000
const TRIES = 3
/** Number of retries after the site throttles a request; each retry waits for the pause that the site states. */
const TRIES_WHEN_REFUSED = 10

const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i
const TEXT = /^text\/(?:plain|markdown|x-markdown)\b/i

/** Throttled client of one website. It follows no redirect: the walk judges the target. */
export class SiteClient implements AsyncDisposable {
  readonly #options: SiteClientOptions
  readonly #dispatcher: ReturnType<typeof webAgent>
  readonly #pace: SitePace

  constructor(options: SiteClientOptions) {
    this.#options = options
    this.#pace = new SitePace(options.delayMs)
    this.#dispatcher = webAgent({ ...options, skipTlsVerification: false, patienceMs: PATIENCE_MS })
  }

  /** Applies the crawl delay of robots.txt; the longer of it and the user's own delay wins. */
  slowDown(delayMs: number): void {
    this.#pace.slowDown(delayMs)
  }

  visit(url: URL, signal: AbortSignal): Promise<Visit> {
    return this.#withRetries(url, (answer) => this.#read(url, answer), signal)
  }

  /** Fetches a text other than a page, gunzipped if necessary: robots.txt, a sitemap. */
  async text(url: URL, signal: AbortSignal): Promise<{ readonly text: string } | Exclude<Visit, { kind: 'page' }>> {
    let text = ''
    const visit = await this.#withRetries(
      url,
      async (answer) => {
        const bytes = await collected(answerBody(answer, this.#options.maxBytes))
        const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
        const plain = isPacked ? await unzip(bytes, { maxOutputLength: this.#options.maxBytes }) : bytes
        text = plain.toString('utf8')
        return { kind: 'text', digest: '', contentType: '', bytes: plain.length }
      },
      signal,
    )
    return visit.kind === 'text' ? { text } : (visit as Exclude<Visit, { kind: 'page' }>)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #read(url: URL, answer: UrlAnswer): Promise<Visit> {
    const contentType = answer.header('content-type') ?? ''
    const body = (): AsyncIterable<Uint8Array> => inUtf8(answerBody(answer, this.#options.maxBytes), answer)
    if (PAGE.test(contentType)) return { kind: 'page', contentType, ...(await readPage(url, body())) }
    if (TEXT.test(contentType)) return { kind: 'text', contentType, ...(await digestOf(body())) }
    discard(answer)
    return { kind: 'file', answer, contentType }
  }

  async #withRetries(url: URL, read: (answer: UrlAnswer) => Promise<Visit>, signal: AbortSignal): Promise<Visit> {
    for (let tries = 1, refusals = 0; ;) {
      await this.#pace.waitForTurn(signal)
      const { visit, retry } = await this.#once(url, read, signal)
      if (retry === 'no') return visit
      if (retry === 'refused') refusals += 1
      else tries += 1
      if (tries > TRIES || refusals > TRIES_WHEN_REFUSED) return visit
    }
  }

  async #once(
    url: URL,
    read: (answer: UrlAnswer) => Promise<Visit>,
    signal: AbortSignal,
  ): Promise<{ readonly visit: Visit; readonly retry: 'no' | 'refused' | 'failed' }> {
    try {
      const { allowPrivateAddresses } = this.#options
      const dispatcher = this.#dispatcher
      const options = { method: 'GET', headers: {}, dispatcher, allowPrivateAddresses, redirects: 'return' } as const
      const answer = await requestUrl(url, options, signal)
      const { statusCode: status } = answer
      const location = answer.header('location')
      if (status < 300) {
        this.#pace.recordAnswer()
        return { visit: await read(answer), retry: 'no' }
      }
      discard(answer)
      if (status < 400 && location !== null) return { visit: { kind: 'redirect', to: location }, retry: 'no' }
      if (status === 404 || status === 410) return { visit: { kind: 'absent' }, retry: 'no' }
      const isRefusal = status === 429 || status === 503
      if (isRefusal) this.#pace.recordRefusal(answer.header('retry-after'))
      const visit: Visit = { kind: 'failed', reason: `the server answered ${status}`, status }
      return { visit, retry: isRefusal ? 'refused' : status >= 500 ? 'failed' : 'no' }
    } catch (error) {
      signal.throwIfAborted()
      const { code, message } = error as { readonly code?: string; readonly message?: string }
      const isOurs = error instanceof FetchRefused
      const reason = isOurs ? error.message : `it cannot be fetched now (${code ?? message ?? 'unknown'})`
      return { visit: { kind: 'failed', reason, status: null }, retry: isOurs ? 'no' : 'failed' }
    }
  }
}

const unzip = promisify(gunzip)

async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

/** Reads a page to its end. */
export async function readPage(
  url: URL,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly content: PageContent; readonly bytes: number }> {
  const reader = new PageReader(url)
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    reader.write(decoder.decode(chunk, { stream: true }))
  }
  return { content: reader.end(), bytes }
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
