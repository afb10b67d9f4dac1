import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'

/** How requests to the open web leave this machine. */
export interface WebNetwork {
  /** Proxies for addresses of either kind, and the hosts that need none; null where requests go directly. */
  readonly proxies: { readonly http: string | null; readonly https: string | null; readonly none: string | null } | null
  /** PEM: the authorities to believe, where they are not those that Node knows. */
  readonly ca?: readonly string[]
}

/** `connect`: how to reach what is reached directly; `rejectUnauthorized` holds for all. */
export interface ConnectionOptions extends Omit<Agent.Options, 'connect'> {
  readonly connect: { readonly rejectUnauthorized: boolean; readonly lookup?: LookupFunction }
}

/** Connections by way of the proxies, each of which resolves names itself, and decides what can be reached. */
export function dispatcherBy({ proxies, ca }: WebNetwork, options: ConnectionOptions): Dispatcher {
  const certificates = ca === undefined ? {} : { ca: [...ca] }
  const direct = { ...options, connect: { ...options.connect, ...certificates } }
  if (proxies === null) return new Agent(direct)
  const { rejectUnauthorized } = options.connect
  return new EnvHttpProxyAgent({
    ...direct,
    requestTls: { rejectUnauthorized, ...certificates },
    proxyTls: certificates,
    // Empty rather than left out: undici would read the environment by itself.
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https ?? '',
    noProxy: proxies.none ?? '',
    // What goes to an http:// address needs no tunnel, and many proxies open none but to port 443.
    proxyTunnel: false,
  })
}
