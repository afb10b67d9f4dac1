import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { finished } from 'node:stream/promises'
import { listen, type Listening } from './listen.ts'
import { createHash } from 'node:crypto'
import { Dicer } from '@fastify/busboy'

/** One part of a multipart body as it came over the wire. */
export interface ReceivedPart {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly name: string | null
  /** Null when the part has no `filename`, which is what distinguishes a field from a file. */
  readonly filename: string | null
  readonly bytes: number
  readonly sha256: string
  /** The part's content; null when it is larger than `KEPT_BYTES`. */
  readonly content: Buffer | null
}

/** Larger parts are counted and hashed only, so that tests of big uploads measure the client's memory alone. */
const KEPT_BYTES = 1024 * 1024

/** Reads a request's body to its end. A body that is no multipart is drained, and has no parts. */
async function receiveParts(request: IncomingMessage, readDelayMs: number): Promise<ReceivedPart[]> {
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) {
    await finished(request.resume())
    return []
  }
  const parts: Promise<ReceivedPart>[] = []
  const reader = new Dicer({ boundary })
  reader.on('part', (part: Dicer.PartStream) => parts.push(receivePart(part)))
  await new Promise<void>((resolve, reject) => {
    // Not `finished(reader)`: Dicer says `finish` itself, when the last part is read, and never `close`.
    reader.once('finish', resolve).once('error', reject)
    request.once('error', reject).pipe(reader)
    if (readDelayMs > 0) request.on('data', () => holdBack(request, readDelayMs))
  })
  return Promise.all(parts)
}

async function receivePart(part: Dicer.PartStream): Promise<ReceivedPart> {
  const headers: Record<string, string> = {}
  part.on('header', (fields: Record<string, string[]>) => {
    for (const [name, values] of Object.entries(fields)) headers[name.toLowerCase()] = values.join(', ')
  })
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of part as AsyncIterable<Buffer>) {
    bytes += chunk.length
    hash.update(chunk)
    if (bytes <= KEPT_BYTES) chunks.push(chunk)
  }
  const disposition = headers['content-disposition'] ?? ''
  return {
    headers,
    name: /[; ]name="([^"]*)"/.exec(disposition)?.[1] ?? null,
    filename: /filename="([^"]*)"/.exec(disposition)?.[1] ?? null,
    bytes,
    sha256: hash.digest('hex'),
    content: bytes <= KEPT_BYTES ? Buffer.concat(chunks) : null,
  }
}

function holdBack(request: IncomingMessage, delayMs: number): void {
  request.pause()
  setTimeout(() => request.resume(), delayMs)
}

/*
 * A service of `POST /v2/parse` that answers as a test scripts it: over real HTTP, on a port of its own. It is for
 * faults and for exact counts; what documents turn into is tested against the real engine.
 */

/** How one request is answered. Whatever is left out is as in `parsedReply()`: 200 with a small document. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: object | string | Buffer
  /** Waits this long, after the request's body has come in, before it answers. */
  readonly delayMs?: number
  /** Sends the body byte by byte, waiting this long between them. */
  readonly trickleMs?: number
  /**
   * - `reset_before`: the connection is cut before the request's body is read.
   * - `reset_after`: the whole request is taken, and charged when the status is 200, then the connection is cut.
   * - `reset_middle`: the connection is cut in the middle of the answer's body.
   * - `hang`: takes the request and never answers.
   * - `answer_early`: answers without reading the request's body.
   */
  readonly fault?: 'reset_before' | 'reset_after' | 'reset_middle' | 'hang' | 'answer_early'
}

export interface ReceivedRequest {
  /** From 1, in order of arrival. */
  readonly number: number
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly parts: readonly ReceivedPart[]
  readonly file: ReceivedPart | null
  readonly options: Record<string, unknown> | null
  /** `performance.now()` when its headers came in. */
  readonly atMs: number
}

export interface ScriptedServiceOptions {
  /**
   * Answers to the first requests in order of arrival, or a function that decides (given the request, its parts read
   * unless the fault comes before them). After the list's end every request gets `parsedReply()`.
   */
  readonly answers?: readonly Reply[] | ((request: ReceivedRequest) => Reply | Promise<Reply>)
  /** What `GET /v2/team/queue-status` answers; without it the service has no such operation. */
  readonly queueStatus?: () => object
  /** Answer to every other `GET /v2/team/…`; without it the service has no such operations (404). */
  readonly account?: { readonly status: number; readonly body: object }
  /** False drains bodies without reading them, for speed: `parts` stay empty and `file` null. */
  readonly readParts?: boolean
  /** Waits this long before it reads on in a request's body, piece by piece: a service that is slow to take uploads. */
  readonly readDelayMs?: number
}

/** A 200 with this Markdown, and whatever else `data` should hold. */
export function parsedReply(markdown = '# Parsed\n', data: Readonly<Record<string, unknown>> = {}): Reply {
  return { status: 200, body: { success: true, data: { markdown, metadata: { statusCode: 200 }, ...data } } }
}

/** What was asked for and the answer leaves out: further formats, and pages and blocks of a PDF. */
function withWhatWasAsked(body: NonNullable<Reply['body']>, { options, file }: ReceivedRequest): typeof body {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body
  const { data } = body as { data?: { markdown?: unknown; metadata?: { numPages?: number } } }
  const markdown = data?.markdown
  if (typeof markdown !== 'string') return body
  const formats = (options?.['formats'] ?? []) as readonly { type: string }[]
  const others = formats.map(({ type }) => [type, type === 'links' || type === 'images' ? [] : markdown])
  const [pdf] = file?.filename?.endsWith('.pdf') === true ? ((options?.['parsers'] ?? []) as readonly PdfOptions[]) : []
  const count = data?.metadata?.numPages ?? 1
  const pages = Array.from({ length: count }, (_, at) => ({ pageNumber: at + 1, markdown: at === 0 ? markdown : '' }))
  const layout = { ...(pdf?.pages === true && { pages }), ...(pdf?.blocks === true && { blocks: [] }) }
  return { ...body, data: { ...Object.fromEntries(others), ...layout, ...data } }
}

interface PdfOptions {
  readonly pages?: boolean
  readonly blocks?: boolean
}

/** An error in the contract's shape. */
export function errorReply(status: number, error: string, more: Readonly<Record<string, unknown>> = {}): Reply {
  return { status, body: { success: false, error, ...more } }
}

const NO_ACCOUNT = { status: 404, body: { success: false, error: 'Not Found' } }

export class ScriptedService implements AsyncDisposable {
  /** Every request, in the order in which they had come in whole. */
  readonly requests: ReceivedRequest[] = []
  /** How often each content (SHA-256 of the file part) was parsed and paid for, lost answers included. */
  readonly charges = new Map<string, number>()
  /** Numbers of the requests whose client was there until the last byte of the answer. */
  readonly answered = new Set<number>()
  /** TCP connections that were opened. */
  connections = 0
  inFlight = 0
  peakInFlight = 0
  readonly #options: ScriptedServiceOptions
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #listening: Listening | null = null
  #arrived = 0

  constructor(options: ScriptedServiceOptions) {
    this.#options = options
    this.#server.on('connection', () => (this.connections += 1))
  }

  /** Base address: `http://127.0.0.1:<port>`. */
  get url(): string {
    return this.#listening?.url ?? ''
  }

  /** For tests that change how it listens. */
  get server(): Server {
    return this.#server
  }

  /** Documents paid for, copies counted each time. */
  get charged(): number {
    return [...this.charges.values()].reduce((sum, times) => sum + times, 0)
  }

  /** `port` is for tests that bring the service back at the address it had. */
  async listen(port = 0): Promise<this> {
    this.#listening = await listen(this.#server, { port })
    return this
  }

  /** Cuts every connection and stops listening. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening?.[Symbol.asyncDispose]()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // No document, and no request that a test counts.
    const { queueStatus } = this.#options
    if (queueStatus !== undefined && request.url?.endsWith('/v2/team/queue-status') === true) {
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(queueStatus()))
    }
    if (request.method === 'GET' && request.url?.includes('/v2/team/') === true) {
      const { status, body } = this.#options.account ?? NO_ACCOUNT
      return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    this.#arrived += 1
    const number = this.#arrived
    this.inFlight += 1
    this.peakInFlight = Math.max(this.peakInFlight, this.inFlight)
    try {
      await this.#answer(number, request, response)
    } catch {
      // The client went away, which is often what the test is about.
      response.destroy()
    } finally {
      this.inFlight -= 1
    }
  }

  async #answer(number: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { answers = [] } = this.#options
    const planned = typeof answers === 'function' ? null : (answers[number - 1] ?? parsedReply())
    const unread = planned?.fault === 'reset_before' || planned?.fault === 'answer_early'
    const received = await this.#receive(number, request, unread)
    const reply = planned ?? (typeof answers === 'function' ? await answers(received) : parsedReply())
    const { status = 200, headers, body, delayMs = 0, trickleMs, fault } = reply

    if (fault === 'reset_before') return void request.socket.resetAndDestroy()
    if (delayMs > 0) await sleep(delayMs)
    if (fault === 'hang') return await finished(response)
    if (status === 200) this.#charge(received)
    if (fault === 'reset_after') return void request.socket.resetAndDestroy()

    const text = withWhatWasAsked(body ?? parsedReply().body ?? '', received)
    const bytes =
      typeof text === 'string' || Buffer.isBuffer(text) ? Buffer.from(text) : Buffer.from(JSON.stringify(text))
    const type = Buffer.isBuffer(text) || typeof text === 'string' ? {} : { 'content-type': 'application/json' }
    response.writeHead(status, { ...type, 'content-length': bytes.length, ...headers })
    if (fault === 'reset_middle') {
      response.write(bytes.subarray(0, bytes.length >> 1), () => request.socket.resetAndDestroy())
      return
    }
    if (trickleMs !== undefined) {
      for (const byte of bytes) {
        response.write(Buffer.of(byte))
        await sleep(trickleMs)
      }
    }
    response.end(trickleMs === undefined ? bytes : undefined)
    await finished(response)
    this.answered.add(number)
  }

  async #receive(number: number, request: IncomingMessage, unread: boolean): Promise<ReceivedRequest> {
    const atMs = performance.now()
    const { readParts = true, readDelayMs = 0 } = this.#options
    let parts: ReceivedPart[] = []
    if (!unread && readParts) parts = await receiveParts(request, readDelayMs)
    else if (!unread) await finished(request.resume())
    const options = parts.find((part) => part.name === 'options')?.content ?? null
    const received: ReceivedRequest = {
      number,
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      parts,
      file: parts.find((part) => part.name === 'file') ?? null,
      options: options === null ? null : (JSON.parse(options.toString()) as Record<string, unknown>),
      atMs,
    }
    this.requests.push(received)
    return received
  }

  #charge(received: ReceivedRequest): void {
    const content = received.file?.sha256 ?? ''
    this.charges.set(content, (this.charges.get(content) ?? 0) + 1)
  }
}

/** Starts on a free port; `await using service = await startScriptedService({ answers: [errorReply(503, 'down')] })`. */
export function startScriptedService(options: ScriptedServiceOptions = {}): Promise<ScriptedService> {
  return new ScriptedService(options).listen()
}
