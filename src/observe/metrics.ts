import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type Counts, OUTCOMES } from '#src/document/outcome.ts'
import type { Events } from '#src/events.ts'
import { within } from './within.ts'

/** What is asked of the surroundings at each scrape. */
export interface MetricsOptions {
  readonly counts: () => Promise<Counts>
  readonly backlog: () => Promise<number>
  /** Where it is known that Redis does not answer, it is not asked. */
  readonly redisIsUp?: () => boolean
}

/** How long Redis may take for one value: then it is left out. */
const ANSWER_MS = 400

/** Prometheus metrics, each fed by one event; names end in their unit, labels are closed lists. */
export function metricsOf(events: Events, options: MetricsOptions): Registry {
  const registry = new Registry()
  countDocuments(events, registry)
  countRequests(events, registry)
  const ask = async <T>(value: () => Promise<T>): Promise<T | null> =>
    options.redisIsUp?.() === false ? null : within(value(), ANSWER_MS)
  gauge(registry, 'sluice_queue_backlog', 'Jobs waiting, delayed or active.', () => ask(options.backlog))
  gaugeByOutcome(registry, () => ask(options.counts))
  return registry
}

function gaugeByOutcome(registry: Registry, counts: () => Promise<Counts | null>): void {
  const documents = new Gauge({
    name: 'sluice_documents',
    help: 'Documents in the ledger by outcome; their sum is all that was seen.',
    labelNames: ['outcome'],
    registers: [],
    async collect() {
      const now = await counts()
      this.reset()
      if (now === null) return
      for (const outcome of OUTCOMES) this.set({ outcome }, now[outcome])
    },
  })
  registry.registerMetric(documents)
}

function countDocuments(events: Events, registry: Registry): void {
  const completed = counter(registry, 'sluice_documents_completed_total', 'Documents that came to an end.', ['outcome'])
  const failed = counter(registry, 'sluice_documents_failed_total', 'Dead letters by reason.', ['code'])
  const postponed = counter(registry, 'sluice_documents_postponed_total', 'Jobs handed back.', ['counted'])
  const seen = counter(registry, 'sluice_documents_seen_total', 'Documents listed by a scan.', ['change'])
  const pages = counter(registry, 'sluice_pages_total', 'Pages of documents that came out.', [])
  const credits = counter(registry, 'sluice_credits_total', 'Credits spent.', ['basis'])
  const reused = counter(registry, 'sluice_receipts_reused_total', 'Requests saved by a receipt.', [])
  const spans = counter(registry, 'sluice_spans_dropped_total', 'Spans of blocks that did not fit the Markdown.', [])
  const duration = histogram(registry, 'sluice_document_duration_seconds', 'From taking a job to its end.')
  const grades = new Histogram({
    name: 'sluice_document_grade',
    help: 'How well documents were read, 0 to 1; PDFs of the embedded engine only.',
    buckets: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    registers: [registry],
  })
  events.on('document:seen', ({ change }) => seen.inc({ change }))
  for (const outcome of OUTCOMES) if (outcome !== 'pending') completed.inc({ outcome }, 0)
  events.on('document:skipped', ({ first }) => completed.inc({ outcome: 'skipped' }, first ? 1 : 0))
  events.on('request:charged', ({ cost }) => credits.inc({ basis: cost.basis }, cost.credits))
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
  events.on('receipt:reused', () => reused.inc())
}

function countRequests(events: Events, registry: Registry): void {
  const sent = counter(registry, 'sluice_requests_total', 'Requests sent.', [])
  const bytes = counter(registry, 'sluice_uploaded_bytes_total', 'Document bytes sent.', [])
  const answers = counter(registry, 'sluice_answers_total', 'Answers by what they mean.', ['verdict'])
  const refused = counter(registry, 'sluice_throttled_total', 'Requests refused by a limit of the plan.', ['limit'])
  const lost = counter(registry, 'sluice_requests_lost_total', 'Requests whose answer never came; may be charged.', [])
  const spooled = counter(registry, 'sluice_answers_spooled_total', 'Paid answers that the store did not take.', [])
  const gone = counter(registry, 'sluice_answers_lost_total', 'Paid answers that could be kept nowhere.', [])
  const halts = counter(registry, 'sluice_halts_total', 'Times the batch was halted.', ['cause'])
  const duration = histogram(
    registry,
    'sluice_request_duration_seconds',
    'From the first byte sent to the last received.',
  )
  events.on('request:sent', (event) => {
    sent.inc()
    bytes.inc(event.bytes)
  })
  events.on('request:answered', ({ verdict, durationMs }) => {
    answers.inc({ verdict })
    duration.observe(durationMs / 1000)
  })
  events.on('answer:spooled', () => spooled.inc())
  events.on('answer:lost', () => gone.inc())
  events.on('request:lost', () => lost.inc())
  events.on('request:throttled', ({ limit }) => refused.inc({ limit }))
  events.on('run:halted', ({ cause }) => halts.inc({ cause }))
}

function counter<L extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly L[],
): Counter<L> {
  return new Counter({ name, help, labelNames: [...labelNames], registers: [registry] })
}

/** From 10 ms to the longest time-out of the contract, 300 s. */
function histogram(registry: Registry, name: string, help: string): Histogram {
  return new Histogram({
    name,
    help,
    registers: [registry],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  })
}

function gauge(registry: Registry, name: string, help: string, value: () => Promise<number | null>): Gauge {
  return new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const now = await value()
      if (now === null) this.remove()
      else this.set(now)
    },
  })
}
