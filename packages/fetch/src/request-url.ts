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
  /** Connections to one server at the most. */
  readonly connections?: number
  /** Longest that a server may take to begin its answer, or to go on with it; 5 min by default. */
  readonly patienceMs?: number
  /** Default: directly, trusting the certificate authorities of Node. */
  readonly network?: WebNetwork
}

/**
 * Connections to the web. Addresses of private networks are refused where they are resolved, unless they are allowed; by
 * way of a proxy, which resolves names itself, where they are written out.
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
  /** For the server of the first address only; not sent to another server that it redirects to. */
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
  readonly allowPrivateAddresses: boolean
  /** `return`: a redirect is an answer like any other, and nothing is asked of where it leads. Default `follow`. */
  readonly redirects?: 'follow' | 'return'
}

export interface UrlAnswer {
  /** After redirects. */
  readonly url: URL
  readonly statusCode: number
  /** By name in lower case; the first of several values. */
  header(name: string): string | null
  /** To be read, or discarded. */
  readonly body: Readable
}

const MAX_REDIRECTS = 10

/**
 * Sends a request and follows its redirects; the address is checked at each of them. A login in the URL is sent as basic
 * authentication, and to no other server.
 *
 * @throws {FetchRefused} and what undici says of the line
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
    const { method, dispatcher } = options
    const response = await request(url, { method, dispatcher, signal, headers })
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

/** Leaves the body of an answer unread. */
export function discard({ body }: UrlAnswer): void {
  // undici emits an error for a body that is destroyed before its end; here that is intended.
  body.on('error', () => undefined).destroy()
}

function headerOf(response: Dispatcher.ResponseData, name: string): string | null {
  return [response.headers[name]].flat()[0] ?? null
}
