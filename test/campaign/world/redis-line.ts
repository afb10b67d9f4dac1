import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'

/** A line that is cut either refuses, or is silent and delivers everything late, as a healed network partition does. */
export type Cut = 'refuses' | 'is silent'

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

/** The way of one process to Redis: a unix socket of its own, which can be cut and led to another server. */
export class RedisLine implements AsyncDisposable {
  readonly url: string
  readonly #listening: Server
  readonly #server: () => string
  readonly #pairs = new Set<Pair>()
  #cut: Cut | null = null
  #armed: { left: number; readonly pattern: RegExp; readonly cut: () => void } | null = null

  /** `server`: the socket of the server to which a new connection leads. */
  constructor(url: string, server: () => string) {
    this.url = url
    this.#server = server
    this.#listening = createServer((client) => this.#join(client)).listen(url)
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
    const server = connect(this.#server())
    const pair = { client, server }
    this.#pairs.add(pair)
    const end = (): void => {
      this.#pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) socket.on('error', end).on('close', end)
    client.on('data', (bytes: Buffer) => {
      // Put back: it is delivered when the line is mended, unless the connection broke.
      if (this.#isTime(bytes)) client.unshift(bytes)
      else server.write(bytes)
    })
    server.on('data', (bytes) => void client.write(bytes))
    if (this.#cut === 'refuses') return end()
    if (this.#cut === null) return
    client.pause()
    server.pause()
  }
}
