/** Address of a master that Redis Sentinel watches. */
export interface SentinelAddress {
  /** Name of the master in the Sentinels' settings. */
  readonly master: string
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
  readonly db: number
  readonly tls: boolean
  /** Login of the Redis servers. */
  readonly username: string | undefined
  readonly password: string | undefined
  /** Login of the Sentinels: `?sentinelUsername=…&sentinelPassword=…`. */
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
}

const SENTINEL_PORT = 26_379

/** Pattern: scheme, login, hosts, name of the master, number of the database, parameters. */
const FORM = /^redis(s?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]+)(?:\/(\d+))?\/?(?:\?(.*))?$/i

export const isSentinel = (url: string): boolean => /^rediss?\+sentinel:/i.test(url)

/**
 * Parses `redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[/db]`; `rediss+sentinel` for TLS. Null for
 * anything else.
 */
export function sentinelAddress(url: string): SentinelAddress | null {
  const [, secure, login = '', hosts = '', master = '', db = '0', query = ''] = FORM.exec(url) ?? []
  const sentinels = hosts.split(',').flatMap((host) => hostOf(host.trim()) ?? [])
  if (master === '' || sentinels.length < hosts.split(',').length) return null
  const colon = login.indexOf(':')
  const parameters = new URLSearchParams(query)
  return {
    master: decodeURIComponent(master),
    sentinels,
    db: Number(db),
    tls: secure !== '',
    username: textOf(decodeURIComponent(colon < 0 ? login : login.slice(0, colon))),
    password: textOf(decodeURIComponent(colon < 0 ? '' : login.slice(colon + 1))),
    sentinelUsername: textOf(parameters.get('sentinelUsername')),
    sentinelPassword: textOf(parameters.get('sentinelPassword')),
  }
}

const textOf = (given: string | null): string | undefined => (given === null || given === '' ? undefined : given)

function hostOf(given: string): { readonly host: string; readonly port: number } | null {
  if (given === '' || !URL.canParse(`http://${given}`)) return null
  const { hostname } = new URL(`http://${given}`)
  const port = /:(\d+)$/.exec(given)?.[1]
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port ?? SENTINEL_PORT) }
}
