import { Cluster, type Redis } from 'ioredis'
import { DependencyUnusable } from '#src/document/dependency.ts'
import { type SentinelAddress, sentinelAddress } from '#src/kit/sentinel-address.ts'
import { CoalescingRedis } from './coalescing-redis.ts'

/**
 * A connection to a Redis, alone or watched by Sentinels, or to a Redis Cluster. All commands that do not block share
 * it.
 */
export type RedisConnection = Redis | Cluster

export interface ConnectOptions {
  /**
   * `redis://[user:password@]host:port/db`, `rediss://` for TLS, the absolute path of a unix socket, or a Redis
   * Cluster: several addresses separated by commas, or one with `?cluster=true`. Sentinels:
   * `redis+sentinel://[user:password@]host:port,host:port/master[/db]`.
   */
  readonly url: string
  /** Name in `CLIENT LIST`. */
  readonly name?: string
  /** Timeout of the first connection, after which it counts as a mistake in the settings. */
  readonly patienceMs?: number
  /**
   * Another process restarts it after any end (`openEmbeddedRedis`): its absence is an outage, not a mistake in the
   * settings.
   */
  readonly isRestarted?: boolean
}

const MAX_RECONNECT_DELAY_MS = 1_000
const FIRST_CONNECTION_PATIENCE_MS = 10_000

/**
 * Opens a connection and waits until it is ready. Later outages of Redis are invisible to callers: commands wait in a
 * queue until it returns, and the client retries a command whose reply was lost. Every command and script is therefore
 * idempotent.
 *
 * Throws if the first connection fails; no message ever holds the password.
 */
export async function connectRedis(options: ConnectOptions, signal?: AbortSignal): Promise<RedisConnection> {
  const connection = open(options)
  const patience = AbortSignal.timeout(options.patienceMs ?? FIRST_CONNECTION_PATIENCE_MS)
  try {
    await firstReady(connection, options, signal === undefined ? patience : AbortSignal.any([signal, patience]))
    return connection
  } catch (error) {
    connection.disconnect()
    signal?.throwIfAborted()
    throw unreachable(options, error)
  }
}

/** Opens another connection to the same Redis, for a caller that must be able to end it alone. */
export function duplicateConnection(connection: RedisConnection): RedisConnection {
  const twin = connection instanceof Cluster ? connection.duplicate() : duplicateOf(connection)
  return twin.on('error', () => undefined)
}

const duplicateOf = ({ options }: Redis): Redis => new CoalescingRedis({ ...options, replyMapping: 'legacy' })

/** No server listens at that address, or the host is unknown: a mistake in the settings, not an outage. */
const ABSENT_CODES = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * Rejects with the last message of the server. It rejects at once if the server refuses the login or is absent,
 * otherwise when `signal` aborts. Another one of several nodes or Sentinels may be up, and a restarting server returns.
 */
function firstReady(
  connection: RedisConnection,
  { isRestarted = false }: ConnectOptions,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let last: unknown = null
    const isOnlyServer = !(connection instanceof Cluster) && !connection.options.sentinels
    // A permanent listener: without it the first error of an outage would end the process.
    connection.on('error', (error: NodeJS.ErrnoException) => {
      last = error
      const isMissing = isOnlyServer && !isRestarted && ABSENT_CODES.has(error.code ?? '')
      if (isMissing || /WRONGPASS|NOAUTH|NOPERM/.test(error.message)) reject(error)
    })
    connection.once('ready', resolve)
    signal.addEventListener('abort', () => reject(last ?? signal.reason), { once: true })
    if (connection.status === 'ready') resolve()
  })
}

function unreachable({ url, isRestarted = false }: ConnectOptions, cause: unknown): DependencyUnusable {
  const remedy = isRestarted
    ? 'it ended and did not start again; run the command again, or set REDIS_URL'
    : 'check REDIS_URL and that the server runs; without REDIS_URL Sluice starts a private Redis'
  const server = isRestarted ? 'the private Redis' : 'Redis'
  return new DependencyUnusable(`${server} at ${redactUrl(url)} cannot be reached (${reasonOf(cause)}): ${remedy}`, {
    cause,
  })
}

/** Last message of Redis or the network; never a secret. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown reason'
  if (cause.name === 'TimeoutError') return 'no answer'
  const { code } = cause as NodeJS.ErrnoException
  if (/WRONGPASS|NOAUTH|NOPERM/.test(cause.message)) return 'it refuses the login'
  return code ?? (cause.message.split('\n')[0] ?? '').slice(0, 100)
}

/** Redacts the addresses of a REDIS_URL. */
export function redactUrl(url: string): string {
  return url.replaceAll(/\/\/[^,]*@/g, '//').replaceAll(/([?&](?:sentinel)?(?:password|username)=)[^&,]*/gi, '$1…')
}

/** Options of a single server and of each node of a Cluster. */
const perServer = (name: string | undefined) => ({
  // BullMQ requires it for blocking connections, and it makes commands wait out an outage.
  maxRetriesPerRequest: null,
  // A promoted replica answers READONLY until it knows its role; a server with a full disk answers MISCONF until it has
  // space again. Neither executed the command, so the client reconnects and retries it.
  reconnectOnError: (error: Error) => (/^READONLY|\bMISCONF\b/.test(error.message) ? (2 as const) : false),
  ...(name === undefined ? {} : { connectionName: name }),
})

const reconnectDelayMs = (times: number): number => Math.min(times * 50, MAX_RECONNECT_DELAY_MS)

function open(options: ConnectOptions): RedisConnection {
  const watched = sentinelAddress(options.url)
  if (watched !== null) return openWatched(watched, options.name)
  const urls = options.url.split(',').map((url) => url.trim())
  const [first = ''] = urls
  if (urls.length > 1 || /[?&]cluster=true\b/.test(first)) return openCluster(urls, options.name)
  return new CoalescingRedis(first, { ...perServer(options.name), retryStrategy: reconnectDelayMs })
}

function openWatched(address: SentinelAddress, name: string | undefined): Redis {
  const { master, sentinels, db, tls, username, password, sentinelUsername, sentinelPassword } = address
  return new CoalescingRedis({
    ...perServer(name),
    name: master,
    sentinels: sentinels.map((sentinel) => ({ ...sentinel })),
    db,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    retryStrategy: reconnectDelayMs,
    sentinelRetryStrategy: reconnectDelayMs,
    // No `failoverDetector`: if it detects a failover during a reconnect, it ends this connection permanently.
    // Sentinels disconnect the clients of a master that they demote.
  })
}

function openCluster(urls: readonly string[], name: string | undefined): Cluster {
  const nodes = urls.map((url) => new URL(url.includes('://') ? url : `redis://${url}`))
  const login = nodes.find((node) => node.password !== '')
  return new Cluster(
    nodes.map((node) => ({ host: node.hostname.replaceAll(/[[\]]/g, ''), port: Number(node.port || 6379) })),
    {
      redisOptions: {
        ...perServer(name),
        ...(login === undefined ? {} : { password: decodeURIComponent(login.password) }),
        ...(login === undefined || login.username === '' ? {} : { username: decodeURIComponent(login.username) }),
        ...(nodes.some((node) => node.protocol === 'rediss:') ? { tls: {} } : {}),
      },
      clusterRetryStrategy: reconnectDelayMs,
      // Managed clusters announce host names, and their TLS certificates name those.
      dnsLookup: (address, callback) => callback(null, address),
    },
  )
}
