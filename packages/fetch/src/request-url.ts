import type { Readable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { FetchRefused } from './fetch-refused.ts'
import { splitLogin } from './url-login.ts'
import { publicLookup, refuseWrittenPrivateAddress } from './public-connect.ts'
import { dispatcherBy, type WebNetwork } from './web-network.ts'
import { webUrl } from './web-url.ts'

export interface AgentOptions {
  readonly allowPrivateAddresses: boolean
  readonly skipTlsVerification: boolean
  /** Maximum number of connections per server. */
  readonly connections?: number
  /** Timeout for the header of an answer and between two chunks of its body; default 5 min. */
  readonly patienceMs?: number
  /** Default: a direct connection that trusts the certificate authorities of Node. */
  readonly network?: WebNetwork
}

/**
 * Creates an agent for the open web. It refuses private addresses at the DNS lookup unless the options allow them. A
 * proxy resolves names itself, so behind it only literal addresses are checked.
 */
export function webAgent(options: AgentOptions): Dispatcher {
  const { allowPrivateAddresses, skipTlsVerification, connections, patienceMs, network = { proxies: null } } = options
  const lookup = allowPrivateAddresses ? {} : { lookup: publicLookup }
  return dispatcherBy(network, {
    connect: { rejectUnauthorized: !skipTlsVerification, ...lookup },
    ...(connections === undefined ? {} : { connections }),
    ...(patienceMs === undefined ? {} : { headersTimeout: patienceMs, bodyTimeout: patienceMs }),
  })
}

export interface UrlRequest {
  readonly method: 'GET' | 'HEAD'
  /** Headers for the server of the first URL only; a redirect to another server drops them. */
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
  readonly allowPrivateAddresses: boolean
  /** `return`: the caller gets the redirect as an answer, and its target gets no request. Default `follow`. */
  readonly redirects?: 'follow' | 'return'
  /** Timeout for the header of the answer; default: that of the dispatcher. */
  readonly patienceMs?: number
}

export interface UrlAnswer {
  /** URL after redirects. */
  readonly url: URL
  readonly statusCode: number
  /** Returns the first value of a header; the name is in lower case. */
  header(name: string): string | null
  /** The caller must read or discard it. */
  readonly body: Readable
}

const MAX_REDIRECTS = 10

/**
 * Sends a request and follows its redirects; checks the address at each of them. A login in the URL becomes basic
 * authentication for that server only.
 *
 * @throws {FetchRefused} and connection errors of undici
 */
export async function requestUrl(start: URL, options: UrlRequest, signal: AbortSignal): Promise<UrlAnswer> {
  const first = splitLogin(start)
  let { url, authorization } = first
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    if (!options.allowPrivateAddresses) refuseWrittenPrivateAddress(url)
    const login = authorization ?? (url.origin === first.url.origin ? first.authorization : null)
    const sameOrigin = url.origin === first.url.origin ? options.headers : {}
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'sluice',
      ...(login === null ? {} : { authorization: login }),
      ...sameOrigin,
    }
    const { method, dispatcher, patienceMs } = options
    const timeout = patienceMs === undefined ? {} : { headersTimeout: patienceMs }
    const response = await request(url, { method, dispatcher, signal, headers, ...timeout })
    const location = headerOf(response, 'location')
    const isRedirect = response.statusCode >= 300 && response.statusCode < 400 && location !== null
    if (!isRedirect || options.redirects === 'return') {
      const { statusCode, body } = response
      return { url, statusCode, body, header: (name) => headerOf(response, name) }
    }
    await response.body.dump()
    const next = webUrl(location, url)
    if (next === null) throw new FetchRefused('bad_redirect')
    ;({ url, authorization } = splitLogin(next))
  }
  throw new FetchRefused('too_many_redirects')
}

/** Drops the body of an answer unread. */
export function discard({ body }: UrlAnswer): void {
  // undici emits an error if a body is destroyed before its end, which is intended here.
  body.on('error', () => undefined).destroy()
}

function headerOf(response: Dispatcher.ResponseData, name: string): string | null {
  return [response.headers[name]].flat()[0] ?? null
}
