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
    help: 'Steps that failed and are tried again, by stage: commit is a write to the store, read a read of the source.',
    label: 'stage',
    values: STAGES,
  })
  const errors = counter(registry, { name: 'sluice_errors_total', help: 'Unexpected errors; the log has each.' })
  const writes = histogram(
    registry,
    'sluice_store_write_duration_seconds',
    'One successful write to the store: outputs, a receipt or a dead letter.',
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
    'From the moment a document was first enqueued to its end; observed by the process in which it ended.',
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
    'Documents that this process has claimed; those that wait at the gate unread are claimed when they are read.',
    async () => documents.size,
  )
  gauge(
    registry,
    'sluice_in_flight_oldest_seconds',
    'For how long this process has held the document that it claimed first; 0 with none.',
    // A Map keeps the order of insertion.
    async () => {
      const [first] = documents.values()
      return first === undefined ? 0 : (performance.now() - first.since) / 1000
    },
  )
}
