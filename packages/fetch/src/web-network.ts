import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'

/** Network path of requests to the open web. */
export interface WebNetwork {
  /** Proxies by scheme, and the hosts that bypass them; null for direct connections. */
  readonly proxies: {
    readonly http: string | null
    readonly https: string | null
    readonly noProxy: string | null
  } | null
  /** PEM: certificate authorities that replace those of Node. */
  readonly ca?: readonly string[]
}

/** `connect`: options of direct connections; `rejectUnauthorized` applies to all. */
export interface ConnectionOptions extends Omit<Agent.Options, 'connect'> {
  readonly connect: { readonly rejectUnauthorized: boolean; readonly lookup?: LookupFunction }
}

/** Creates a dispatcher for the proxies. Each proxy resolves names itself and decides which hosts are reachable. */
export function dispatcherBy({ proxies, ca }: WebNetwork, options: ConnectionOptions): Dispatcher {
  const certificates = ca === undefined ? {} : { ca: [...ca] }
  const direct = { ...options, connect: { ...options.connect, ...certificates } }
  if (proxies === null) return new Agent(direct)
  const { rejectUnauthorized } = options.connect
  return new EnvHttpProxyAgent({
    ...direct,
    requestTls: { rejectUnauthorized, ...certificates },
    proxyTls: certificates,
    // Empty, not undefined: undici would read the environment instead.
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https ?? '',
    noProxy: proxies.noProxy ?? '',
    // An http:// address needs no tunnel, and many proxies allow tunnels to port 443 only.
    proxyTunnel: false,
  })
}
