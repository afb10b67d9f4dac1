import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import type { WayOut } from './way-out.ts'

/**
 * Connections to the service. One clock for the whole request, ours: undici's would measure the parts, and a body that
 * trickles passes them all. HTTP/1.1: a connection for each request, since uploads that share one slow each other down.
 */
export function dispatcherOf(connections: number, { proxies, tls }: WayOut): Dispatcher {
  const options = { connections, allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect: tls }
  if (proxies === null) return new Agent(options)
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: tls,
    proxyTls: tls,
    // Empty rather than left out: undici would read the environment by itself.
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https ?? '',
    noProxy: proxies.none ?? '',
    // What goes to an http:// address needs no tunnel, and many proxies open none but to port 443.
    proxyTunnel: false,
  })
}
