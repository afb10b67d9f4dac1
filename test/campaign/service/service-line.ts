import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** How a service is away: nothing listens, it takes requests and answers none, or it answers each with an error or 429. */
export type Away = 'refuses' | 'is silent' | 'answers 5xx' | 'answers 429'

export const AWAY: readonly Away[] = ['refuses', 'is silent', 'answers 5xx', 'answers 429']

/** Longer than any process keeps a connection that it does not use. */
const IDLE_MS = 600_000

const STATUSES = [500, 502, 503, 504]
const TEXT = 'the disk of the parser is full'

/**
 * The way of a run's processes to the service. While the service is away no request reaches it, so that none is charged;
 * what it has taken before is answered.
 */
export class ServiceLine implements AsyncDisposable {
  readonly #target: URL
  /** A connection that the service has just closed as idle would lose a request that Sluice has counted. */
  readonly #agent = new Agent({ keepAlive: false })
  readonly #server = createServer({ keepAliveTimeout: IDLE_MS }, (request, response) => {
    this.#serve(request, response).catch(() => response.destroy())
  })
  readonly #silent = new Set<ServerResponse>()
  #away: Away | null = null
  #port = 0
  #answered = 0
  readonly #sent = new Map<number, number>()

  private constructor(target: string) {
    this.#target = new URL(target)
  }

  static async open(target: string): Promise<ServiceLine> {
    const line = new ServiceLine(target)
    await line.#listen(0)
    return line
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Requests that a process has sent. */
  sentBy(process: number): number {
    return this.#sent.get(process) ?? 0
  }

  async cut(how: Away): Promise<void> {
    this.#away = how
    if (how !== 'refuses') return
    // Requests in flight are answered all the same, and their connections closed then.
    this.#server.close()
    this.#server.closeIdleConnections()
  }

  async mend(): Promise<void> {
    const how = this.#away
    this.#away = null
    for (const response of this.#silent) response.destroy()
    this.#silent.clear()
    if (how === 'refuses') await this.#listen(this.#port)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sender = Number(request.headers['x-process'])
    this.#sent.set(sender, this.sentBy(sender) + 1)
    const body = await buffer(request)
    if (this.#away === 'refuses') return void request.socket.resetAndDestroy()
    if (this.#away === 'is silent') return void this.#silent.add(response)
    if (this.#away === 'answers 5xx') return this.#answerError(response)
    if (this.#away === 'answers 429') return void response.writeHead(429, { 'retry-after': '1' }).end()
    await this.#passOn(request, body, response)
  }

  #answerError(response: ServerResponse): void {
    const status = STATUSES[this.#answered++ % STATUSES.length] ?? 500
    // As gateways and services do it.
    const body = status === 500 ? JSON.stringify({ success: false, error: TEXT }) : `<html><h1>${TEXT}</h1></html>`
    response.writeHead(status, { 'content-type': status === 500 ? 'application/json' : 'text/html' }).end(body)
  }

  async #passOn(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { hostname, port } = this.#target
    const { method = '', url = '', headers } = request
    const onward = sendRequest({ hostname, port, path: url, method, headers, agent: this.#agent })
    // A line that the service breaks ends the reading of the answer below; this only keeps the error from being fatal.
    onward.on('error', () => undefined)
    onward.end(body)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    for await (const chunk of answer) response.write(chunk)
    response.end()
  }
}
