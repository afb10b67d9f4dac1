import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { AnswerHold } from '#src/kit/answer-memory.ts'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import { Countdown } from './countdown.ts'
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
  /** Counts the answer's bytes. Backpressure: without memory the answer waits on the wire, and `timeoutMs` is stopped. */
  readonly hold: AnswerHold
  /** As `ParseRequest.maySend`. */
  readonly maySend: () => boolean
}

/**
 * One POST and its whole answer. Rejects with `NoAnswer`, whose cause is the signal's reason, `RequestTimeout`,
 * `AnswerTooLong`, or what undici says of the line; at once, whatever state the connection is in. With `RequestWithdrawn` where
 * `maySend` said no.
 */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions, signal: AbortSignal): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { origin, path, headers, body, timeoutMs } = options
    const late = new Countdown(timeoutMs, () => collector.abort(new RequestTimeout(`none came in ${timeoutMs} ms`)))
    const stop = (): void => collector.abort(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })

    const collector = new AnswerCollector({ ...options, late, signal }, (answer, error) => {
      late[Symbol.dispose]()
      signal.removeEventListener('abort', stop)
      if (error === null) resolve(answer)
      else if (error instanceof RequestWithdrawn) reject(error)
      else reject(new NoAnswer(error, collector.sent))
    })
    const length = { 'content-length': String(body.bytes) }
    // The types leave out that a body may be an async iterable; undici's documentation has it.
    const content = body.content as Buffer
    dispatcher.dispatch({ origin, method: 'POST', path, headers: { ...headers, ...length }, body: content }, collector)
  })
}

interface CollectorOptions extends Pick<ExchangeOptions, 'maxAnswerBytes' | 'hold' | 'maySend'> {
  readonly late: Countdown
  readonly signal: AbortSignal
}

type Finish = (...outcome: [answer: RawAnswer, error: null] | [answer: null, error: Error]) => void

/** undici's handler, below its streams: they cost more than all the rest of a small request. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  /** Whether the whole request has been given to the connection. */
  sent = false
  readonly #finishWith: Finish
  readonly #options: CollectorOptions
  readonly #startedAt = performance.now()
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #uncounted = 0
  #memoryComes: Promise<void> | null = null
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #controller: Dispatcher.DispatchController | null = null
  #aborted: Error | null = null
  #settled = false

  constructor(options: CollectorOptions, finish: Finish) {
    this.#options = options
    this.#finishWith = finish
  }

  abort(error: Error): void {
    this.#aborted = error
    this.#finish(null, error)
    this.#controller?.abort(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The time was over, or the caller gone, while it waited for a connection.
    if (this.#aborted !== null) return controller.abort(this.#aborted)
    // Called in the turn in which undici writes the head: reading the document and connecting are over.
    if (!this.#options.maySend()) this.abort(new RequestWithdrawn('withdrawn before its first byte'))
  }

  onRequestSent(): void {
    this.sent = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxAnswerBytes, hold } = this.#options
    // As they come at times after a pause: nothing to wait for.
    if (chunk.length === 0) return
    this.#bytes += chunk.length
    if (this.#bytes > maxAnswerBytes) return this.abort(new AnswerTooLong(`more than ${maxAnswerBytes} bytes`))
    this.#chunks.push(chunk)
    this.#uncounted += chunk.length
    if (this.#memoryComes !== null) return
    if (hold.tryGrow(this.#uncounted)) this.#uncounted = 0
    else this.#holdUp()
  }

  #holdUp(): void {
    this.#memoryComes = this.#waitForMemory()
    this.#memoryComes.catch(() => undefined)
  }

  /** Reads nothing more from the connection until there is memory; what was on its way comes in meanwhile. */
  async #waitForMemory(): Promise<void> {
    const { hold, late, signal } = this.#options
    this.#controller?.pause()
    late.pause()
    // Waits once at least: without a turn in between, the promise would be stored after it was cleared here, for ever.
    do {
      const bytes = this.#uncounted
      this.#uncounted = 0
      await hold.grow(bytes, signal)
    } while (this.#uncounted > 0)
    this.#memoryComes = null
    if (this.#settled) return
    late.resume()
    this.#controller?.resume()
  }

  onResponseEnd(): void {
    // Rejects where the signal aborted, whose listener ended the exchange.
    if (this.#memoryComes !== null)
      return void this.#memoryComes.then(() => this.onResponseEnd()).catch(() => undefined)
    const [first = Buffer.alloc(0)] = this.#chunks
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks, this.#bytes) : first
    const durationMs = performance.now() - this.#startedAt
    this.#finish({ status: this.#status, headers: this.#headers, body, durationMs }, null)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(null, error)
  }

  #finish(...outcome: Parameters<Finish>): void {
    if (this.#settled) return
    this.#settled = true
    this.#finishWith(...outcome)
  }
}
