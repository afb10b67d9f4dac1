import { hash, timingSafeEqual } from 'node:crypto'

/** What a request says of where it comes from. */
export interface Asking {
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
  /** Made anew at each start. */
  readonly token: string
  readonly port: number
  /** The address that the server listens on, as a URL has it. */
  readonly hostname: string
}

const refused = (status: 403 | 404 | 421, reason: string): GuardVerdict => ({ kind: 'refused', status, reason })

/**
 * Whether a request may be answered. The names of `Host` are a closed list, so a domain that an attacker points to loopback
 * (DNS rebinding) is refused; another page's request is refused by its origin (CSRF); and each path begins with a
 * token that is printed once and kept in no cookie, which other servers of this machine would be sent.
 */
export function guard({ host, origin, site, token }: Asking, expected: Guarded): GuardVerdict {
  const hosts = [expected.hostname, '127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${expected.port}`)
  if (host === undefined || !hosts.includes(host)) return refused(421, 'this server does not serve that host')
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`)) {
    return refused(403, 'requests of other pages are refused')
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return refused(403, 'requests of other pages are refused')
  }
  if (!sameText(token, expected.token)) return refused(404, 'open the address that "sluice view" printed')
  return { kind: 'allowed' }
}

/** Takes as long whatever differs. */
const sameText = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
