import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import type { SourceKey } from '#src/document/ids.ts'
import type { Events } from '#src/events.ts'
import { isSampled, traceOf } from './document-trace.ts'
import type { SpanExport } from './span-export.ts'

/** A turn of a document in this process. */
interface Turn {
  readonly document: Span
  /** The current step. */
  step: Span | null
  /** The current request, whose id is in its header. */
  request: Span | null
  error: string | null
}

export interface TraceOptions {
  /** The pipeline's id in Redis: the same in all its processes. */
  readonly id: string
  /** Name in the settings file. */
  readonly pipeline: string | null
  /** True if requests carry the header `traceparent`. */
  readonly propagates: boolean
  /** Share of documents to trace. */
  readonly ratio: number
  readonly spans: Pick<SpanExport, 'tracer' | 'startRoot'>
}

/** OpenTelemetry's attributes of a queue. */
const QUEUE = { 'messaging.system': 'bullmq', 'messaging.destination.name': 'documents' } as const

const STEPS = { wait: SpanKind.INTERNAL, request: SpanKind.CLIENT, commit: SpanKind.INTERNAL } as const

/**
 * Builds spans of documents from events. A trace is one document from its enqueuing on. It has `enqueue`, of the
 * process that listed it, and below that a `document` for each turn in any process, from the claim to its release. A
 * turn has, in sequence, `wait` (for credits and the gate), `request` (its id goes into the header) and `commit`.
 */
export class TraceEvents {
  readonly #options: TraceOptions
  readonly #turns = new Map<SourceKey, Turn>()

  constructor(events: Events, options: TraceOptions) {
    this.#options = options
    events.on('document:enqueued', ({ key, queuedAt }) => this.#enqueued(key, queuedAt))
    events.on('document:started', (event) => this.#start(event))
    events.on('request:waiting', ({ key }) => this.#step(key, 'wait'))
    events.on('request:begun', ({ key }) => this.#step(key, 'request'))
    events.on('request:sent', ({ key, bytes }) => this.#set(key, { 'http.request.body.size': bytes }))
    events.on('request:answered', ({ key, verdict, requestId, bytes }) => {
      this.#set(key, {
        'sluice.verdict': verdict,
        'sluice.request_id': requestId ?? undefined,
        'http.response.body.size': bytes,
      })
      this.#step(key, verdict === 'parsed' ? 'commit' : null, verdict === 'parsed' ? null : verdict)
    })
    events.on('request:withdrawn', ({ key }) => this.#step(key, null, 'withdrawn'))
    events.on('document:committed', ({ key }) => this.#step(key, null))
    events.on('document:postponed', ({ key, reason }) => this.#setOwn(key, { 'sluice.postponed': reason }))
    events.on('document:settled', ({ key, outcome, failure }) => {
      const turn = this.#turns.get(key)
      if (turn === undefined) return
      turn.error = failure?.code ?? null
      this.#setOwn(key, { 'sluice.outcome': outcome, 'sluice.failure': failure?.code })
    })
    events.on('document:released', ({ key, sinceQueuedMs }) => this.#end(key, sinceQueuedMs))
  }

  /** Returns the W3C header of the next request for a document; null for an untraced one. */
  traceparent(key: SourceKey): string | null {
    const request = this.#options.propagates ? this.#turns.get(key)?.request : null
    if (request === undefined || request === null) return null
    const { traceId, spanId } = request.spanContext()
    return `00-${traceId}-${spanId}-01`
  }

  #enqueued(key: SourceKey, queuedAt: number): void {
    const { id, ratio, spans } = this.#options
    const { traceId, enqueueSpanId: spanId } = traceOf(id, key, queuedAt)
    if (!isSampled(traceId, ratio)) return
    const attributes = { ...this.#attributesOf(key), 'messaging.operation.type': 'send' }
    spans.startRoot({ traceId, spanId }, 'enqueue', { kind: SpanKind.PRODUCER, attributes }).end()
  }

  #start({ key, attempt, queuedAt }: { key: SourceKey; attempt: number; queuedAt: number }): void {
    const { id, ratio, spans } = this.#options
    const { traceId, enqueueSpanId: spanId } = traceOf(id, key, queuedAt)
    if (!isSampled(traceId, ratio)) return
    const attributes = {
      ...this.#attributesOf(key),
      'messaging.operation.type': 'process',
      'sluice.attempt': attempt,
    }
    const enqueue = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
    const context = trace.setSpanContext(ROOT_CONTEXT, enqueue)
    const document = spans.tracer.startSpan('document', { kind: SpanKind.CONSUMER, attributes }, context)
    this.#turns.set(key, { document, step: null, request: null, error: null })
  }

  #attributesOf(key: SourceKey): Attributes {
    const { pipeline } = this.#options
    return { ...QUEUE, 'sluice.key': key, 'sluice.pipeline': pipeline ?? undefined }
  }

  /** Ends the current step, and starts the next one. */
  #step(key: SourceKey, next: keyof typeof STEPS | null, error: string | null = null): void {
    const turn = this.#turns.get(key)
    if (turn === undefined) return
    if (turn.step !== null) endSpan(turn.step, error)
    const context = trace.setSpan(ROOT_CONTEXT, turn.document)
    turn.step = next === null ? null : this.#options.spans.tracer.startSpan(next, { kind: STEPS[next] }, context)
    turn.request = next === 'request' ? turn.step : null
  }

  #set(key: SourceKey, attributes: Attributes): void {
    this.#turns.get(key)?.step?.setAttributes(attributes)
  }

  #setOwn(key: SourceKey, attributes: Attributes): void {
    this.#turns.get(key)?.document.setAttributes(attributes)
  }

  #end(key: SourceKey, sinceQueuedMs: number): void {
    const turn = this.#turns.get(key)
    if (turn === undefined) return
    this.#step(key, null)
    this.#setOwn(key, { 'sluice.since_queued_ms': Math.round(sinceQueuedMs) })
    endSpan(turn.document, turn.error)
    this.#turns.delete(key)
  }
}

function endSpan(span: Span, error: string | null): void {
  if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
  span.end()
}
