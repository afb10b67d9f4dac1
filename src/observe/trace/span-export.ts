import { ROOT_CONTEXT, type Span, type SpanContext, type SpanOptions, type Tracer } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { withTimeout } from '../with-timeout.ts'
import type { OtlpOptions } from './otlp-options.ts'

const FLUSH_MS = 2_000

const LAST_MS = 1_000

/** Maximum number of spans in the buffer during an outage of the collector; more are dropped. */
const MAX_WAITING = 4_096

/**
 * OpenTelemetry's SDK, whose spans go to a collector by OTLP over HTTP, as JSON. It blocks nothing: an unavailable
 * collector costs spans, never documents. A batch is sent once. OpenTelemetry's own sender retries on timers that would
 * keep an ended process alive, and takes headers from the environment that HTTP cannot carry.
 */
export class SpanExport implements SpanExporter, AsyncDisposable {
  readonly tracer: Tracer
  readonly #options: OtlpOptions
  readonly #onError: (message: string) => void
  readonly #spans: CountedSpans
  readonly #ending = new AbortController()
  #rootIds: Pick<SpanContext, 'traceId' | 'spanId'> | null = null
  #sending: Promise<unknown> = Promise.resolve()
  #hasFailed = false
  #sent = 0

  constructor(options: OtlpOptions, onError: (message: string) => void) {
    this.#options = options
    this.#onError = onError
    this.#spans = new CountedSpans({
      exporter: this,
      scheduledDelayMillis: FLUSH_MS,
      maxQueueSize: MAX_WAITING,
      exportTimeoutMillis: options.timeoutMs,
    })
    const random = new RandomIdGenerator()
    const provider = new TracerProvider({
      resource: resourceFromAttributes(options.resource),
      spanProcessors: [this.#spans],
      idGenerator: {
        generateTraceId: () => this.#rootIds?.traceId ?? random.generateTraceId(),
        generateSpanId: () => this.#rootIds?.spanId ?? random.generateSpanId(),
      },
    })
    this.tracer = provider.getTracer('sluice')
  }

  /** Starts the root of a trace, whose ids every process derives. */
  startRoot(ids: Pick<SpanContext, 'traceId' | 'spanId'>, name: string, options: SpanOptions): Span {
    this.#rootIds = ids
    try {
      return this.tracer.startSpan(name, options, ROOT_CONTEXT)
    } finally {
      this.#rootIds = null
    }
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#sending = Promise.all([this.#sending, this.#send(spans, done)])
  }

  async shutdown(): Promise<void> {
    await this.#sending
  }

  /** Flushes the buffer. A hanging collector delays a stop by at most a second, and never the end of the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    // Rejects for a refused batch, which was reported.
    const flushed = this.#spans.shutdown().catch(() => undefined)
    const sent = flushed.then(() => this.#sending)
    await withTimeout(sent, LAST_MS)
    this.#ending.abort()
    await sent
    const dropped = this.#spans.ended - this.#sent
    if (dropped > 0) this.#onError(`${dropped} spans were dropped in total, because the collector did not accept them`)
  }

  async #send(spans: ReadableSpan[], done: (result: ExportResult) => void): Promise<void> {
    done(await this.#post(spans))
  }

  async #post(spans: ReadableSpan[]): Promise<ExportResult> {
    const { url, timeoutMs } = this.#options
    try {
      const headers = { ...this.#options.headers, 'content-type': 'application/json' }
      const body = JsonTraceSerializer.serializeRequest(spans) ?? null
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#ending.signal])
      const response = await fetch(url, { method: 'POST', headers, body, signal })
      // An unread answer would block its connection for the next batch.
      await response.arrayBuffer()
      if (!response.ok) return this.#failed(`the collector answered ${response.status}`)
      this.#sent += spans.length
      return { code: ExportResultCode.SUCCESS }
    } catch (error) {
      return this.#failed(reasonOf(error))
    }
  }

  /** Logged once: an unreachable collector would fill the log. */
  #failed(message: string): ExportResult {
    if (!this.#hasFailed) this.#onError(message)
    this.#hasFailed = true
    return { code: ExportResultCode.FAILED }
  }
}

class CountedSpans extends BatchSpanProcessor {
  ended = 0

  override onEnd(span: ReadableSpan): void {
    this.ended += 1
    super.onEnd(span)
  }
}

/** `fetch` has the reason of its failure in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
