import { hash, timingSafeEqual } from 'node:crypto'

/** Origin of a request. */
export interface GuardedRequest {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** `Sec-Fetch-Site`, which browsers set and no page can change. */
  readonly site: string | undefined
  /** First segment of the path. */
  readonly token: string
}

export type GuardVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly status: 403 | 404 | 421; readonly reason: string }

export interface Guarded {
  /** Random, new at each start. */
  readonly token: string
  readonly port: number
  /** The address of the server, in the form of a URL. */
  readonly hostname: string
}

const refused = (status: 403 | 404 | 421, reason: string): GuardVerdict => ({ kind: 'refused', status, reason })

/**
 * Decides if a request may be answered. The names of `Host` are a closed list, so a domain that an attacker points to
 * loopback (DNS rebinding) is refused. The origin check refuses requests of other pages (CSRF). Each path starts with a
 * token that is printed once. It is not in a cookie, which browsers would send to other servers of this machine, too.
 */
export function guard({ host, origin, site, token }: GuardedRequest, expected: Guarded): GuardVerdict {
  const hosts = [expected.hostname, '127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${expected.port}`)
  if (host === undefined || !hosts.includes(host))
    return refused(421, 'the Host header names another host: open the address that "sluice view" printed')
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`)) {
    return refused(403, 'requests from other web pages are refused')
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return refused(403, 'requests from other web pages are refused')
  }
  if (!sameText(token, expected.token)) return refused(404, 'open the address that "sluice view" printed')
  return { kind: 'allowed' }
}

/** Constant-time comparison. */
const sameText = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
