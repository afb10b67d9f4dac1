import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'

/** A line that is cut either refuses, or is silent and delivers everything late, as a healed network partition does. */
export type Cut = 'refuses' | 'is silent'

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

/**
 * A line to a server, for one process: it can be cut, led to another server, and lose a command, or the answer of one that
 * was carried out.
 */
export class Line implements AsyncDisposable {
  readonly #listening: Server
  readonly #server: () => string
  readonly #pairs = new Set<Pair>()
  #cut: Cut | null = null
  #losing: 'request' | 'answer' | null = null
  /** Answers that were lost. */
  lost = 0
  #armed: { left: number; readonly pattern: RegExp; readonly cut: () => void } | null = null

  /** `at`: a unix socket or a host; `server`: the socket or URL of the server to which a new connection leads. */
  constructor(at: string | { readonly host: string }, server: () => string) {
    this.#server = server
    const listening = createServer((client) => this.#join(client))
    this.#listening = typeof at === 'string' ? listening.listen(at) : listening.listen(0, at.host)
  }

  /** A line to one server from a free port of a host. */
  static async open(to: string, host = '127.0.0.1'): Promise<Line> {
    const line = new Line({ host }, () => to)
    await once(line.#listening, 'listening')
    return line
  }

  get url(): string {
    const at = this.#listening.address()
    return typeof at === 'object' && at !== null ? `redis://${at.address}:${at.port}` : String(at)
  }

  get port(): string {
    return new URL(this.url).port
  }

  /** The next bytes in this direction are thrown away, and the connection that they came by is broken. */
  loseNext(what: 'request' | 'answer'): void {
    this.#losing = what
  }

  cut(how: Cut): void {
    this.#cut = how
    if (how === 'refuses') this.reset()
    else this.#each((socket) => socket.pause())
  }

  /** Cuts the line as the `count`-th command that matches is about to pass, before it does; resolves then. */
  cutAt(pattern: RegExp, count: number, how: Cut): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cut = (): void => {
      this.cut(how)
      resolve()
    }
    this.#armed = { left: count, pattern, cut }
    return promise
  }

  mend(): void {
    this.#cut = null
    this.#armed = null
    this.#each((socket) => socket.resume())
  }

  /** Breaks every connection; new ones lead to whatever server there is then. */
  reset(): void {
    this.#each((socket) => socket.destroy())
  }

  /** The armed cut happens before these bytes pass. */
  #isTime(bytes: Buffer): boolean {
    const armed = this.#armed
    if (armed === null || !armed.pattern.test(bytes.toString('latin1'))) return false
    armed.left -= 1
    if (armed.left > 0) return false
    this.#armed = null
    armed.cut()
    return true
  }

  #each(act: (socket: Socket) => void): void {
    for (const { client, server } of this.#pairs) {
      act(client)
      act(server)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#listening, 'close')
    this.#listening.close()
    this.reset()
    await closed
  }

  #join(client: Socket): void {
    const server = connectTo(this.#server())
    const pair = { client, server }
    this.#pairs.add(pair)
    const end = (): void => {
      this.#pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // Bytes that the other side was sent before still arrive there.
      const endSoon = (): void => (this.#pairs.delete(pair), other.destroySoon())
      socket.on('error', endSoon).on('close', endSoon)
    }
    client.on('data', (bytes: Buffer) => {
      if (this.#loses('request')) return end()
      // Put back: it is delivered when the line is mended, unless the connection broke.
      if (this.#isTime(bytes)) client.unshift(bytes)
      else server.write(bytes)
    })
    server.on('data', (bytes) => {
      if (!this.#loses('answer')) client.write(bytes)
      else {
        this.lost += 1
        end()
      }
    })
    if (this.#cut === 'refuses') return end()
    if (this.#cut === null) return
    client.pause()
    server.pause()
  }
  #loses(what: 'request' | 'answer'): boolean {
    if (this.#losing !== what) return false
    this.#losing = null
    return true
  }
}

function connectTo(address: string): Socket {
  if (address.startsWith('/')) return connect(address)
  const { hostname, port } = new URL(address)
  return connect(Number(port), hostname)
}
