import { createHash, timingSafeEqual } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SetupError } from '#src/document/setup-error.ts'
import type { Notice, Notices } from '../notices.ts'

export interface HttpNoticesOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  readonly port: number
  /** Token of each request, as `Authorization: Bearer …` or `?token=…`. Required on any host but loopback. */
  readonly token?: string
}

export interface HttpNotices extends Notices {
  readonly url: string
}

const PATH = '/events/s3'
const MAX_BYTES = 1024 * 1024

/**
 * Backpressure: maximum number of requests that wait for an answer. Beyond it the endpoint asks the sender to retry.
 */
const MAX_WAITING = 1000

/** Maximum number of requests in a batch. */
const MAX_AT_ONCE = 100

/**
 * HTTP endpoint for stores that push: `POST /events/s3`. It answers a request after all of its work is done, so a
 * sender that retries loses nothing, even in a crash.
 */
export async function httpNotices(options: HttpNoticesOptions): Promise<HttpNotices> {
  const { host = '127.0.0.1', port, token } = options
  if (token === undefined && !['127.0.0.1', '::1', 'localhost'].includes(host)) {
    throw new SetupError(`--events-host ${host} can be reached by other machines: set EVENTS_TOKEN, or use 127.0.0.1.`)
  }
  const waiting: Notice[] = []
  const arrivals = new EventEmitter()
  const server = createServer((request, response) => {
    receive(request, response, token, waiting).then(
      () => arrivals.emit('arrival'),
      () => answer(response, 400, 'The request was cut off.'),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}${PATH}`,
    async next(waitMs: number, signal: AbortSignal): Promise<readonly Notice[]> {
      if (waiting.length === 0) await arrival(arrivals, waitMs, signal)
      return waiting.splice(0, MAX_AT_ONCE)
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Resolves at the next request or after `waitMs`; throws the reason of `signal`. */
async function arrival(arrivals: EventEmitter, waitMs: number, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(waitMs)
  await once(arrivals, 'arrival', { signal: AbortSignal.any([signal, late]) }).catch(() => signal.throwIfAborted())
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  token: string | undefined,
  waiting: Notice[],
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://endpoint')
  if (url.pathname !== PATH) return answer(response, 404, `Not found: the only address is ${PATH}.`)
  if (request.method !== 'POST') return answer(response, 405, 'Use POST.')
  if (token !== undefined && !isSame(token, tokenOf(request, url)))
    return answer(response, 401, 'The token is missing or wrong.')
  if (waiting.length >= MAX_WAITING) return answer(response, 503, 'Too many notifications are waiting: retry later.')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) return answer(response, 413, `The body is larger than ${MAX_BYTES} bytes.`)
    chunks.push(chunk)
  }
  waiting.push({
    body: Buffer.concat(chunks).toString(),
    done: async () => answer(response, 200, ''),
    refuse: async () => answer(response, 400, 'The body is not a notification of an S3 store.'),
    release: async () => answer(response, 503, 'The notification could not be processed: retry later.'),
  })
}

function tokenOf(request: IncomingMessage, url: URL): string {
  return /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? url.searchParams.get('token') ?? ''
}

/** Compares hashes, so that the timing reveals nothing about the token. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.writableEnded) return
  response.writeHead(status, {
    'content-type': 'text/plain',
    connection: status === 413 ? 'close' : 'keep-alive',
    ...(status === 503 ? { 'retry-after': '5' } : {}),
  })
  response.end(text)
}
