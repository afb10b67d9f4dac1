import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { RequestBody } from './multipart.ts'

/** An answer that is longer than we are ready to hold. Another try would bring it again. */
export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong' as const
}

/** The client's own time for a request is over. */
export class RequestTimeout extends Error {
  override name = 'RequestTimeout' as const
}

/** No whole answer came back; the cause says why. */
export class NoAnswer extends Error {
  override name = 'NoAnswer' as const
  override readonly cause: Error
  /** Whether the whole request had gone out by then. */
  readonly sent: boolean

  constructor(cause: Error, sent: boolean) {
    super(cause.message)
    this.cause = cause
    this.sent = sent
  }
}

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** As it came: any content encoding is still there. */
  readonly body: Buffer
  readonly durationMs: number
}

export interface ExchangeOptions {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: RequestBody
  /** For the whole of it: connecting, sending, waiting, receiving. */
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
}

/**
 * One POST and its whole answer. Rejects with `NoAnswer`, whose cause is the signal's reason, `RequestTimeout`,
 * `AnswerTooLong`, or what undici says of the line; at once, whatever state the connection is in.
 */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions, signal: AbortSignal): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { origin, path, headers, body, timeoutMs } = options
    const late = setTimeout(() => collector.abort(new RequestTimeout(`none came in ${timeoutMs} ms`)), timeoutMs)
    const stop = (): void => collector.abort(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })

    const collector = new AnswerCollector(options.maxAnswerBytes, (answer, error) => {
      clearTimeout(late)
      signal.removeEventListener('abort', stop)
      if (error === null) resolve(answer)
      else reject(new NoAnswer(error, collector.sent))
    })
    const length = { 'content-length': String(body.bytes) }
    // The types leave out that a body may be an async iterable; undici's documentation has it.
    const content = body.content as Buffer
    dispatcher.dispatch({ origin, method: 'POST', path, headers: { ...headers, ...length }, body: content }, collector)
  })
}

type Settle = (...outcome: [answer: RawAnswer, error: null] | [answer: null, error: Error]) => void

/** undici's handler, below its streams: they cost more than all the rest of a small request. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  /** Whether the whole request has been given to the connection. */
  sent = false
  readonly #settle: Settle
  readonly #maxBytes: number
  readonly #startedAt = performance.now()
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #controller: Dispatcher.DispatchController | null = null
  #aborted: Error | null = null
  #settled = false

  constructor(maxBytes: number, settle: Settle) {
    this.#maxBytes = maxBytes
    this.#settle = settle
  }

  abort(error: Error): void {
    this.#aborted = error
    this.#finish(null, error)
    this.#controller?.abort(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The time was over, or the caller gone, while it waited for a connection.
    if (this.#aborted !== null) controller.abort(this.#aborted)
  }

  onRequestSent(): void {
    this.sent = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.abort(new AnswerTooLong(`more than ${this.#maxBytes} bytes`))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [first = Buffer.alloc(0)] = this.#chunks
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks, this.#bytes) : first
    const durationMs = performance.now() - this.#startedAt
    this.#finish({ status: this.#status, headers: this.#headers, body, durationMs }, null)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(null, error)
  }

  #finish(...outcome: Parameters<Settle>): void {
    if (this.#settled) return
    this.#settled = true
    this.#settle(...outcome)
  }
}
