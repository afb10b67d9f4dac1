import { randomBytes } from 'node:crypto'
import type { SourceKey } from '#src/document/ids.ts'
import type { Events } from '#src/events.ts'
import { isSampled, traceOf } from './document-trace.ts'
import type { Attribute, Span } from './span-exporter.ts'

type Attributes = Record<string, Attribute | null | undefined>

interface Open {
  readonly spanId: string
  readonly name: string
  readonly startMs: number
  readonly attributes: Attributes
}

/** One turn of a document in this process. */
interface Turn {
  readonly traceId: string
  readonly enqueueSpanId: string
  readonly document: Open
  /** The step that is going on. */
  step: Open | null
  error: string | null
}

export interface TraceOptions {
  /** The pipeline's id in Redis: the same in all its processes. */
  readonly id: string
  /** As the settings file names it. */
  readonly pipeline: string | null
  /** Whether requests carry `traceparent`. */
  readonly propagates: boolean
  /** Share of documents that are traced. */
  readonly ratio: number
  readonly onSpan: (span: Span) => void
}

/** OpenTelemetry's names for what a queue does. */
const QUEUE = { 'messaging.system': 'bullmq', 'messaging.destination.name': 'documents' } as const

/** Wall-clock milliseconds that never go back within a process. */
const now = (): number => performance.timeOrigin + performance.now()

const open = (name: string, attributes: Attributes = {}): Open => ({
  spanId: randomBytes(8).toString('hex'),
  name,
  startMs: now(),
  attributes,
})

/**
 * Spans of documents, made of events. A trace is one document from when it was enqueued: `enqueue`, of the process that
 * listed it, and below it a `document` for each turn in any process, from the claim to its release. In that, one after the
 * other, `wait` (for credits and the gate), `request` (whose id goes over the wire) and `commit`.
 */
export class TraceEvents {
  readonly #options: TraceOptions
  readonly #turns = new Map<SourceKey, Turn>()

  constructor(events: Events, options: TraceOptions) {
    this.#options = options
    events.on('document:enqueued', ({ key, queuedAt }) => this.#enqueued(key, queuedAt))
    events.on('document:started', (event) => this.#start(event))
    events.on('request:waiting', ({ key }) => this.#step(key, open('wait')))
    events.on('request:begun', ({ key }) => this.#step(key, open('request')))
    events.on('request:sent', ({ key, bytes }) => this.#set(key, { 'http.request.body.size': bytes }))
    events.on('request:answered', ({ key, verdict, requestId, bytes }) => {
      this.#set(key, { 'sluice.verdict': verdict, 'sluice.request_id': requestId, 'http.response.body.size': bytes })
      this.#step(key, verdict === 'parsed' ? open('commit') : null, verdict === 'parsed' ? null : verdict)
    })
    events.on('request:withdrawn', ({ key }) => this.#step(key, null, 'withdrawn'))
    events.on('document:committed', ({ key }) => this.#step(key, null))
    events.on('document:postponed', ({ key, reason }) => this.#setOwn(key, { 'sluice.postponed': reason }))
    events.on('document:settled', ({ key, outcome, failure }) => {
      const turn = this.#turns.get(key)
      if (turn === undefined) return
      turn.error = failure === null ? null : failure.code
      this.#setOwn(key, { 'sluice.outcome': outcome, 'sluice.failure': failure?.code })
    })
    events.on('document:released', ({ key, sinceQueuedMs }) => this.#end(key, sinceQueuedMs))
  }

  /** The W3C header of the request that is about to be sent for a document; null for one that is not traced. */
  traceparent(key: SourceKey): string | null {
    const turn = this.#options.propagates ? this.#turns.get(key) : undefined
    return turn?.step?.name === 'request' ? `00-${turn.traceId}-${turn.step.spanId}-01` : null
  }

  #enqueued(key: SourceKey, queuedAt: number): void {
    const { id: pipelineId, pipeline, ratio, onSpan } = this.#options
    const { traceId, enqueueSpanId: spanId } = traceOf(pipelineId, key, queuedAt)
    if (!isSampled(traceId, ratio)) return
    const at = now()
    const times = { startMs: at, endMs: at }
    const attributes = { ...QUEUE, 'messaging.operation.type': 'send', 'sluice.key': key, 'sluice.pipeline': pipeline }
    onSpan({
      traceId,
      spanId,
      parentSpanId: null,
      name: 'enqueue',
      kind: 'producer',
      ...times,
      attributes,
      error: null,
    })
  }

  #start({ key, attempt, queuedAt }: { key: SourceKey; attempt: number; queuedAt: number }): void {
    const { id: pipelineId, pipeline, ratio } = this.#options
    const trace = traceOf(pipelineId, key, queuedAt)
    if (!isSampled(trace.traceId, ratio)) return
    const attributes = { 'sluice.key': key, 'sluice.attempt': attempt, 'sluice.pipeline': pipeline }
    const document = open('document', { ...QUEUE, 'messaging.operation.type': 'process', ...attributes })
    this.#turns.set(key, { ...trace, document, step: null, error: null })
  }

  /** Ends the step that is going on, and begins the next one. */
  #step(key: SourceKey, next: Open | null, error: string | null = null): void {
    const turn = this.#turns.get(key)
    if (turn === undefined) return
    if (turn.step !== null) this.#report(turn, turn.step, turn.document.spanId, error)
    turn.step = next
  }

  #set(key: SourceKey, attributes: Attributes): void {
    Object.assign(this.#turns.get(key)?.step?.attributes ?? {}, attributes)
  }

  #setOwn(key: SourceKey, attributes: Attributes): void {
    Object.assign(this.#turns.get(key)?.document.attributes ?? {}, attributes)
  }

  #end(key: SourceKey, sinceQueuedMs: number): void {
    const turn = this.#turns.get(key)
    if (turn === undefined) return
    this.#step(key, null)
    this.#setOwn(key, { 'sluice.since_queued_ms': Math.round(sinceQueuedMs) })
    this.#report(turn, turn.document, turn.enqueueSpanId, turn.error)
    this.#turns.delete(key)
  }

  #report({ traceId }: Turn, step: Open, parentSpanId: string, error: string | null): void {
    const { spanId, name, startMs, attributes } = step
    const kind = name === 'request' ? 'client' : name === 'document' ? 'consumer' : 'internal'
    this.#options.onSpan({ traceId, spanId, parentSpanId, name, kind, startMs, endMs: now(), attributes, error })
  }
}
