import { randomBytes } from 'node:crypto'
import type { SourceKey } from '#src/document/ids.ts'
import type { Events } from '#src/events.ts'
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
  readonly document: Open
  /** The step that is going on. */
  step: Open | null
  error: string | null
}

export interface TraceOptions {
  readonly pipeline: string | null
  /** Share of documents that are traced. */
  readonly ratio: number
  readonly onSpan: (span: Span) => void
}

/** Wall-clock milliseconds that never go back within a process. */
const now = (): number => performance.timeOrigin + performance.now()

const id = (bytes: 8 | 16): string => randomBytes(bytes).toString('hex')

const open = (name: string, attributes: Attributes = {}): Open => ({ spanId: id(8), name, startMs: now(), attributes })

/**
 * Spans of documents, made of events: `document` from the claim to its release, and in it, one after the other, `wait` (for
 * credits and the gate), `request` (whose id goes over the wire) and `commit`. How long the document waited in the queue
 * before is an attribute.
 */
export class TraceEvents {
  readonly #options: TraceOptions
  readonly #turns = new Map<SourceKey, Turn>()

  constructor(events: Events, options: TraceOptions) {
    this.#options = options
    events.on('document:started', ({ key, attempt }) => this.#start(key, attempt))
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
    const turn = this.#turns.get(key)
    return turn?.step?.name === 'request' ? `00-${turn.traceId}-${turn.step.spanId}-01` : null
  }

  #start(key: SourceKey, attempt: number): void {
    if (Math.random() >= this.#options.ratio) return
    const { pipeline } = this.#options
    const document = open('document', { 'sluice.key': key, 'sluice.attempt': attempt, 'sluice.pipeline': pipeline })
    this.#turns.set(key, { traceId: id(16), document, step: null, error: null })
  }

  /** Ends the step that is going on, and begins the next one. */
  #step(key: SourceKey, next: Open | null, error: string | null = null): void {
    const turn = this.#turns.get(key)
    if (turn === undefined) return
    if (turn.step !== null) this.#tell(turn, turn.step, turn.document.spanId, error)
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
    this.#tell(turn, turn.document, null, turn.error)
    this.#turns.delete(key)
  }

  #tell({ traceId }: Turn, step: Open, parentSpanId: string | null, error: string | null): void {
    const { spanId, name, startMs, attributes } = step
    const kind = name === 'request' ? 'client' : 'internal'
    this.#options.onSpan({ traceId, spanId, parentSpanId, name, kind, startMs, endMs: now(), attributes, error })
  }
}
