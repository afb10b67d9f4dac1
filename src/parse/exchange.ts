import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { AnswerHold } from '#src/kit/answer-memory.ts'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import { Countdown } from './countdown.ts'
import type { RequestBody } from './multipart.ts'

/** The answer exceeds the size limit. A retry would receive it again. */
export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong' as const
}

/** The client's own timeout for a request expired. */
export class RequestTimeout extends Error {
  override name = 'RequestTimeout' as const
}

/** No complete answer arrived; the cause explains why. */
export class NoAnswer extends Error {
  override name = 'NoAnswer' as const
  override readonly cause: Error
  /** True if the complete request had been sent by then. */
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
  /** Raw bytes, with any content encoding. */
  readonly body: Buffer
  readonly durationMs: number
}

export interface ExchangeOptions {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: RequestBody
  /** Timeout of the complete exchange: connecting, sending, waiting, receiving. */
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
  /**
   * Counts the answer's bytes. Backpressure: without memory the answer waits on the connection, and `timeoutMs` pauses.
   */
  readonly hold: AnswerHold
  /** Same as `ParseRequest.maySend`. */
  readonly maySend: () => boolean
}

/**
 * Sends a POST and receives its complete answer. Rejects with `NoAnswer`, whose cause is the signal's reason,
 * `RequestTimeout`, `AnswerTooLong`, or a connection error of undici; at once, for any state of the connection. Rejects
 * with `RequestWithdrawn` if `maySend` returned false.
 */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions, signal: AbortSignal): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { origin, path, headers, body, timeoutMs } = options
    const countdown = new Countdown(timeoutMs, () =>
      collector.abort(new RequestTimeout(`the timeout of ${timeoutMs} ms expired`)),
    )
    const stop = (): void => collector.abort(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })

    const collector = new AnswerCollector({ ...options, countdown, signal }, (answer, error) => {
      countdown[Symbol.dispose]()
      signal.removeEventListener('abort', stop)
      if (error === null) resolve(answer)
      else if (error instanceof RequestWithdrawn) reject(error)
      else reject(new NoAnswer(error, collector.sent))
    })
    const length = { 'content-length': String(body.bytes) }
    // undici accepts an async iterable as a body, by its documentation, but its types do not.
    const content = body.content as Buffer
    dispatcher.dispatch({ origin, method: 'POST', path, headers: { ...headers, ...length }, body: content }, collector)
  })
}

interface CollectorOptions extends Pick<ExchangeOptions, 'maxAnswerBytes' | 'hold' | 'maySend'> {
  readonly countdown: Countdown
  readonly signal: AbortSignal
}

type Finish = (...outcome: [answer: RawAnswer, error: null] | [answer: null, error: Error]) => void

/** undici's low-level handler, because its streams cost more than the rest of a small request. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  /** True if the complete request has been written to the connection. */
  sent = false
  readonly #finishWith: Finish
  readonly #options: CollectorOptions
  readonly #startedAt = performance.now()
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #uncounted = 0
  #memoryWait: Promise<void> | null = null
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
    // The timeout expired, or the caller aborted, while it waited for a connection.
    if (this.#aborted !== null) return controller.abort(this.#aborted)
    // Runs in the turn in which undici writes the header: the document is read and the connection open.
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
    // Empty chunks occur after a pause: they need no wait.
    if (chunk.length === 0) return
    this.#bytes += chunk.length
    if (this.#bytes > maxAnswerBytes) return this.abort(new AnswerTooLong(`more than ${maxAnswerBytes} bytes`))
    this.#chunks.push(chunk)
    this.#uncounted += chunk.length
    if (this.#memoryWait !== null) return
    if (hold.tryGrow(this.#uncounted)) this.#uncounted = 0
    else this.#applyBackpressure()
  }

  #applyBackpressure(): void {
    this.#memoryWait = this.#waitForMemory()
    this.#memoryWait.catch(() => undefined)
  }

  /** Stops reading from the connection until memory is available; data on the way still arrives. */
  async #waitForMemory(): Promise<void> {
    const { hold, countdown, signal } = this.#options
    this.#controller?.pause()
    countdown.pause()
    // Waits at least once: without a turn in between, the code would store the promise after clearing it, and keep it.
    do {
      const bytes = this.#uncounted
      this.#uncounted = 0
      await hold.grow(bytes, signal)
    } while (this.#uncounted > 0)
    this.#memoryWait = null
    if (this.#settled) return
    countdown.resume()
    this.#controller?.resume()
  }

  onResponseEnd(): void {
    // Rejects after an abort, whose listener ended the exchange.
    if (this.#memoryWait !== null) return void this.#memoryWait.then(() => this.onResponseEnd()).catch(() => undefined)
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
