import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import type { ServiceNetwork } from './service-network.ts'

/**
 * Connections to the service. The client has its own timeout for the complete request: undici's would measure the
 * parts, and a trickling body passes them all. HTTP/1.1 gives each request a connection, since uploads that share one
 * slow each other down.
 */
export function dispatcherOf(connections: number, { proxies, tls }: ServiceNetwork): Dispatcher {
  const options = { connections, allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect: connectorOf(tls) }
  if (proxies === null) return new Agent(options)
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: tls,
    proxyTls: tls,
    // Empty, not undefined: undici would read the environment instead.
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https ?? '',
    noProxy: proxies.noProxy ?? '',
    // An http:// address needs no tunnel, and many proxies allow tunnels to port 443 only.
    proxyTunnel: false,
  })
}

/** An interim answer (RFC 9110, 15.2). JSON and chunk frames never start like this. */
const INTERIM = /^HTTP\/1\.[01] 1\d\d[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/
const MAX_INTERIM_BYTES = 8 * 1024

/** undici ends a connection on an unexpected 100, which some proxies send. */
function connectorOf(tls: ServiceNetwork['tls']): ReturnType<typeof buildConnector> {
  const connect = buildConnector(tls)
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      dropInterim(socket)
      callback(null, socket)
    })
}

function dropInterim(socket: Socket): void {
  const read = socket.read.bind(socket)
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null
      const rest = chunk === null ? null : withoutInterim(chunk)
      if (rest === null || rest.length > 0) return rest
    }
  }
}

function withoutInterim(chunk: Buffer): Buffer {
  let rest = chunk
  for (;;) {
    if (rest[0] !== 0x48) return rest
    const interim = INTERIM.exec(rest.subarray(0, MAX_INTERIM_BYTES).toString('latin1'))
    if (interim === null) return rest
    rest = rest.subarray(interim[0].length)
  }
}

/**
 * Rest time of a connection after an answer: bytes that arrive during it belong to no request, and close the
 * connection.
 */
const REST_MS = 50

/** Maximum number of resting connections, in addition to those in use. */
const MAX_RESTING = 32

/**
 * Pool with a connection per concurrent request, and resting connections. An answer that a proxy sends twice, or late,
 * could otherwise count as the answer for the next document.
 */
export class RestingConnections {
  readonly #concurrency: number
  readonly #network: ServiceNetwork
  readonly #all: Dispatcher[] = []
  /** Longest rest first. */
  readonly #free: { readonly connection: Dispatcher; readonly since: number }[] = []

  constructor(concurrency: number, network: ServiceNetwork) {
    this.#concurrency = concurrency
    this.#network = network
  }

  async use<T>(work: (connection: Dispatcher) => Promise<T>): Promise<T> {
    const [busy] = this.#all
    // An excess request waits for a connection in undici.
    if (busy !== undefined && this.#all.length - this.#free.length >= this.#concurrency) return work(busy)
    const { connection, restMs } = this.#take()
    try {
      if (restMs > 0) await sleep(restMs)
      return await work(connection)
    } finally {
      this.#free.push({ connection, since: performance.now() })
    }
  }

  #take(): { readonly connection: Dispatcher; readonly restMs: number } {
    const [first] = this.#free
    const restMs = first === undefined ? 0 : REST_MS - (performance.now() - first.since)
    if (first !== undefined && (restMs <= 0 || this.#all.length >= this.#concurrency + MAX_RESTING)) {
      this.#free.shift()
      return { connection: first.connection, restMs }
    }
    const connection = dispatcherOf(1, this.#network)
    this.#all.push(connection)
    return { connection, restMs: 0 }
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.destroy()))
  }
}
