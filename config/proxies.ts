import { environment, type Environment } from './environment.ts'

/** Proxies of the environment, by the convention of common tools; upper case wins, as curl does for HTTPS_PROXY. */
export interface Proxies {
  readonly http: string | null
  readonly https: string | null
  /** Hosts that bypass the proxy, separated by commas. */
  readonly noProxy: string | null
}

/** Null if the environment names no proxy. */
export function proxiesOf(env: Environment = environment()): Proxies | null {
  const named = (name: string): string | null => env[name] || env[name.toLowerCase()] || null
  const proxies = { http: named('HTTP_PROXY'), https: named('HTTPS_PROXY'), noProxy: named('NO_PROXY') }
  return proxies.http === null && proxies.https === null ? null : proxies
}

/** Converts the proxies into the format of Node's own agents. */
export function proxyEnvOf({ http, https, noProxy }: Proxies): Record<string, string> {
  return {
    ...(http === null ? {} : { HTTP_PROXY: http }),
    ...(https === null ? {} : { HTTPS_PROXY: https }),
    ...(noProxy === null ? {} : { NO_PROXY: noProxy }),
  }
}

/** Returns the proxy for an address; null for a direct connection. */
export function proxyFor({ protocol, hostname, port }: URL, env: Environment = environment()): string | null {
  const proxies = proxiesOf(env)
  const proxy = protocol === 'https:' ? (proxies?.https ?? null) : (proxies?.http ?? null)
  const at = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  const direct = (proxies?.noProxy ?? '').split(/[,\s]+/).some((pattern) => {
    const [, host = '', only = at] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? []
    if (pattern === '*') return true
    return host !== '' && only === at && (hostname === host || hostname.endsWith(`.${host}`))
  })
  return direct ? null : proxy
}
