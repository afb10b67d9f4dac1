import type { Registry } from 'prom-client'
import { STAGES } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Events } from '#src/events.ts'
import { counter, gauge, histogram } from './instruments.ts'

/** From a second to a week: a document waits in the queue as long as its backlog. */
const COMPLETION_BUCKETS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800]

/** Measures the progress of this process and the health of its store. */
export function measureHealth(events: Events, registry: Registry): void {
  const failures = counter(registry, {
    name: 'sluice_stage_failures_total',
    help: 'Failed steps that are retried, by stage: commit writes to the store, read reads the source.',
    label: 'stage',
    values: STAGES,
  })
  const errors = counter(registry, { name: 'sluice_errors_total', help: 'Unexpected errors; the log describes each.' })
  const writes = histogram(
    registry,
    'sluice_store_write_duration_seconds',
    'Duration of a successful write to the store: outputs, a receipt or a dead letter.',
  )
  events.on('stage:failed', ({ stage }) => failures.inc({ stage }))
  events.on('process:error', () => errors.inc())
  events.on('store:written', ({ durationMs }) => writes.observe(durationMs / 1000))
  followInFlight(events, registry)
}

interface InFlight {
  /** `performance.now()`. */
  readonly since: number
  isEnded: boolean
}

function followInFlight(events: Events, registry: Registry): void {
  const documents = new Map<SourceKey, InFlight>()
  const completion = histogram(
    registry,
    'sluice_document_completion_seconds',
    'Time from the first enqueueing of a document to its outcome, observed by the process that reached it.',
    COMPLETION_BUCKETS,
  )
  events.on('document:started', ({ key }) => documents.set(key, { since: performance.now(), isEnded: false }))
  events.on('document:settled', ({ key, again }) => {
    const document = documents.get(key)
    if (document !== undefined) document.isEnded = !again
  })
  events.on('document:released', ({ key, sinceQueuedMs }) => {
    if (documents.get(key)?.isEnded === true) completion.observe(sinceQueuedMs / 1000)
    documents.delete(key)
  })
  gauge(
    registry,
    'sluice_documents_in_flight',
    'Documents claimed by this process; unread documents that wait at the limiter are not claimed yet.',
    async () => documents.size,
  )
  gauge(
    registry,
    'sluice_in_flight_oldest_seconds',
    'Age of the oldest claim of this process; 0 without one.',
    // A Map keeps the order of insertion.
    async () => {
      const [first] = documents.values()
      return first === undefined ? 0 : (performance.now() - first.since) / 1000
    },
  )
}
