import type { Registry } from 'prom-client'
import { FAILURE_CODES } from '#src/document/failure.ts'
import { OUTCOMES } from '#src/document/outcome.ts'
import { CHANGES, type Events } from '#src/events.ts'
import { counter, histogram } from './instruments.ts'

const GRADES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]

const BASES = ['reported', 'estimated']

/** Counts outcomes of documents in this process. */
export function countDocuments(events: Events, registry: Registry): void {
  const of = (name: string, help: string) => counter(registry, { name, help })
  const completed = counter(registry, {
    name: 'sluice_documents_completed_total',
    help: 'Documents that reached an outcome in this process, by outcome.',
    label: 'outcome',
    values: OUTCOMES.filter((outcome) => outcome !== 'pending'),
  })
  const failed = counter(registry, {
    name: 'sluice_documents_failed_total',
    help: 'Documents that failed in this process, by failure code.',
    label: 'code',
    values: FAILURE_CODES,
  })
  const postponed = counter(registry, {
    name: 'sluice_documents_postponed_total',
    help: 'Documents returned to the queue by this process; counted="true" used up one of their attempts.',
    label: 'counted',
    values: ['true', 'false'],
  })
  const seen = counter(registry, {
    name: 'sluice_documents_seen_total',
    help: 'Documents listed by scans of this process, by change.',
    label: 'change',
    values: CHANGES,
  })
  const pages = of('sluice_pages_total', 'Parsed pages of documents with an outcome.')
  const spans = of(
    'sluice_spans_dropped_total',
    'Spans of layout blocks dropped because they do not match the Markdown.',
  )
  const duration = histogram(
    registry,
    'sluice_document_duration_seconds',
    'Time from the claim of a document to its outcome in this process, without its waits in the queue and, before it is read, at the limiter.',
  )
  const grades = histogram(
    registry,
    'sluice_document_grade',
    'Grades of documents, 0 to 1; PDFs of the embedded engine only.',
    GRADES,
  )
  events.on('document:seen', ({ change }) => seen.inc({ change }))
  events.on('document:skipped', ({ first }) => completed.inc({ outcome: 'skipped' }, first ? 1 : 0))
  events.on('document:settled', ({ outcome, again, failure, pages: counted, grade, durationMs }) => {
    if (again) return
    completed.inc({ outcome })
    duration.observe(durationMs / 1000)
    if (failure !== null) failed.inc({ code: failure.code })
    pages.inc(counted?.parsed ?? 0)
    if (grade !== null) grades.observe(grade)
  })
  events.on('spans:dropped', ({ count }) => spans.inc(count))
  events.on('document:postponed', ({ counted }) => postponed.inc({ counted: String(counted) }))
}

/** Counts the cost of answers, and the savings by receipts. */
export function countCosts(events: Events, registry: Registry): void {
  const credits = counter(registry, {
    name: 'sluice_credits_total',
    help: 'Credits charged for answers to this process, as the service reports or the price model estimates them.',
    label: 'basis',
    values: BASES,
  })
  const reused = counter(registry, {
    name: 'sluice_receipts_reused_total',
    help: 'Requests not sent because a receipt had the answer.',
  })
  events.on('request:charged', ({ cost }) => credits.inc({ basis: cost.basis }, cost.credits))
  events.on('receipt:reused', () => reused.inc())
}
