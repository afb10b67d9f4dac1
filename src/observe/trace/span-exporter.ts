import { within } from '../within.ts'
import type { OtlpOptions } from './otlp-options.ts'

export type Attribute = string | number | boolean

/** A span that ended. Times are epoch milliseconds. */
export interface Span {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: 'internal' | 'client' | 'producer' | 'consumer'
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, Attribute | null | undefined>>
  /** Why it failed; null where it did not. */
  readonly error: string | null
}

const BATCH = 512
const FLUSH_MS = 2_000

const LAST_MS = 1_000

/** Spans that wait for a collector that is away; more are dropped. */
const MOST_WAITING = 4_096

/** `SpanKind` and `StatusCode` of the protocol. */
const KINDS = { internal: 1, client: 3, producer: 4, consumer: 5 } as const
const ERROR = 2

/**
 * Sends spans by OTLP over HTTP, as JSON. The protocol's JSON form is small and stable; the SDK for Node and its exporter
 * are eleven packages of 28 MB. Nothing waits for it: a collector that is away costs spans, never documents.
 */
export class SpanExporter implements AsyncDisposable {
  readonly #options: OtlpOptions
  readonly #onError: (message: string) => void
  readonly #timer: NodeJS.Timeout
  readonly #ending = new AbortController()
  #waiting: Span[] = []
  #sending: Promise<void> | null = null
  #hasFailed = false
  #dropped = 0

  constructor(options: OtlpOptions, onError: (message: string) => void) {
    this.#options = options
    this.#onError = onError
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref()
  }

  add(span: Span): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= BATCH) this.#flush()
  }

  /** Sends what waits. A collector that hangs holds up a stop for a second at the most, and the end of the process not at all. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    const sent = async (): Promise<void> => {
      await this.#sending
      this.#flush()
      await this.#sending
    }
    await within(sent(), LAST_MS)
    this.#ending.abort()
    await this.#sending
    const dropped = this.#dropped + this.#waiting.length
    if (dropped > 0) this.#onError(`${dropped} spans were dropped in all: the collector did not take them`)
  }

  #flush(): void {
    if (this.#sending !== null || this.#waiting.length === 0) return
    const spans = this.#waiting
    this.#waiting = []
    this.#sending = this.#send(spans).finally(() => (this.#sending = null))
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const { url, headers, timeoutMs, resource } = this.#options
    const scopeSpans = [{ scope: { name: 'sluice' }, spans: spans.map(spanJson) }]
    const body = JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesJson(resource) }, scopeSpans }] })
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#ending.signal])
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, signal }
      const response = await fetch(url, init)
      // What is not read would keep its connection from the next batch.
      await response.arrayBuffer()
      if (response.ok) return
      this.#dropped += spans.length
      this.#failed(`the collector answered ${response.status}`)
    } catch (error) {
      this.#dropped += spans.length
      this.#failed(reasonOf(error))
    }
  }

  /** Logged once: an unreachable collector would fill the log. */
  #failed(message: string): void {
    if (!this.#hasFailed) this.#onError(message)
    this.#hasFailed = true
  }
}

/** `fetch` says in its cause why it failed. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}

const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const spanJson = ({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error }: Span): object => ({
  traceId,
  spanId,
  ...(parentSpanId === null ? {} : { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: attributesJson(attributes),
  status: error === null ? {} : { code: ERROR, message: error },
})

function attributesJson(attributes: Span['attributes']): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]): object[] => {
    if (value === null || value === undefined) return []
    return [{ key, value: valueJson(value) }]
  })
}

/** The protocol writes 64-bit integers as strings. */
function valueJson(value: Attribute): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
