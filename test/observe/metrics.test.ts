import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { Events } from '#src/events.ts'
import { openObserveServer } from '#src/observe/http-server.ts'
import { metricsOf } from '#src/observe/metrics.ts'
import { ProcessMetrics } from '#src/observe/process-metrics.ts'
import { readingsText } from '#src/observe/reading.ts'

const counts = { pending: 3, done: 2, partial: 1, failed: 1, skipped: 0, gone: 2 }
const options = {
  counts: async () => counts,
  backlog: async () => 3,
  paused: async () => false,
  oldestMs: async () => 61_500,
  lastScanAt: async () => null,
  halts: async () => [],
}

test('every event shows in the metrics that a scrape reads over HTTP', async () => {
  const events = new Events()
  const registry = metricsOf(events, options)
  let ready: string | null = null
  await using server = await openObserveServer({
    port: 0,
    registry,
    readings: async () => [{ name: 'sluice_gate_in_flight', help: 'In flight.', value: 12 }],
    notReady: async () => ready,
  })
  const key = sourceKey('a.pdf')
  events.emit('service:opened', { service: 'gpu' })
  events.emit('document:seen', { key, change: 'new' })
  events.emit('request:sent', { key, bytes: 1000, to: 'parser' })
  events.emit('request:answered', { key, verdict: 'parsed', requestId: null, durationMs: 40, bytes: 5, to: 'parser' })
  events.emit('request:throttled', { key, requestId: null, limit: 'rate', retryAfterMs: null, to: 'parser' })
  events.emit('request:charged', { key, cost: { credits: 4, basis: 'reported' } })
  const settled = {
    key,
    outcome: 'done',
    failure: null,
    problems: [],
    requestId: null,
    contentHash: null,
    cost: { credits: 4, basis: 'reported' },
    pages: { parsed: 4, total: 4, truncated: false },
    grade: 0.93,
    durationMs: 50,
    attempts: 1,
  } as const
  events.emit('document:started', { key, attempt: 1, queuedAt: 0 })
  events.emit('document:settled', { ...settled, again: false })
  events.emit('document:released', { key, sinceQueuedMs: 90_000 })
  events.emit('document:started', { key, attempt: 1, queuedAt: 0 })
  events.emit('document:settled', { ...settled, again: true })
  events.emit('document:released', { key, sinceQueuedMs: 190_000 })
  events.emit('document:started', { key: sourceKey('b.pdf'), attempt: 1, queuedAt: 0 })
  events.emit('store:written', { durationMs: 40 })
  const text = await (await fetch(`${server.url}/metrics`)).text()
  for (const line of [
    'sluice_documents_seen_total{change="new"} 1',
    'sluice_documents_completed_total{outcome="done"} 1',
    'sluice_documents_completed_total{outcome="failed"} 0',
    'sluice_requests_total 1',
    'sluice_service_requests_total{service="default"} 1',
    'sluice_service_requests_total{service="gpu"} 0',
    'sluice_service_credits_total{service="default"} 4',
    'sluice_uploaded_bytes_total 1000',
    'sluice_answers_total{verdict="parsed"} 1',
    'sluice_throttled_total{limit="rate"} 1',
    'sluice_credits_total{basis="reported"} 4',
    'sluice_pages_total 4',
    'sluice_document_grade_bucket{le="0.9"} 0',
    'sluice_document_grade_bucket{le="1"} 1',
    'sluice_documents{outcome="pending"} 3',
    'sluice_documents_gone 2',
    'sluice_queue_backlog 3',
    'sluice_queue_oldest_seconds 61.5',
    'sluice_document_completion_seconds_sum 90',
    'sluice_document_completion_seconds_count 1',
    'sluice_documents_in_flight 1',
    'sluice_store_write_duration_seconds_bucket{le="0.05"} 1',
    'sluice_documents_failed_total{code="corrupt"} 0',
    'sluice_halts_total{cause="budget"} 0',
    'sluice_gate_in_flight 12',
  ]) {
    expect(text).toContain(line)
  }
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  ready = 'Redis does not answer'
  const notReady = await fetch(`${server.url}/readyz`)
  expect([notReady.status, await notReady.text()]).toEqual([503, 'Redis does not answer\n'])
  expect((await fetch(`${server.url}/else`)).status).toBe(404)
})

test('metric values of one name share one help line, with quoted labels', () => {
  const help = 'Shut.'
  expect(
    readingsText([
      { name: 'a_total', help, labels: { cause: 'x"y' }, value: 1 },
      { name: 'b', help: 'B.', value: 2 },
      { name: 'a_total', help, labels: { cause: 'z' }, value: 3 },
    ]),
  ).toBe(
    '# HELP a_total Shut.\n# TYPE a_total counter\na_total{cause="x\\"y"} 1\na_total{cause="z"} 3\n\n# HELP b B.\n# TYPE b gauge\nb 2\n',
  )
})

test('metrics of several pipelines in one process differ by a label, under one help line', async () => {
  const metrics = new ProcessMetrics('9.9.9')
  const [papers, scans] = [new Events(), new Events()]
  metrics.add(papers, options, 'papers')
  const leaving = metrics.add(scans, options, 'scans')
  papers.emit('request:sent', { key: sourceKey('a.pdf'), bytes: 10, to: 'parser' })
  const both = await metrics.metrics()
  expect(both).toContain('sluice_requests_total{pipeline="papers"} 1')
  expect(both).toContain('sluice_requests_total{pipeline="scans"} 0')
  expect(both).toContain('sluice_documents{outcome="pending",pipeline="scans"} 3')
  expect(both.match(/^# TYPE sluice_requests_total /gm)).toHaveLength(1)
  expect(both.match(/^# TYPE process_cpu_seconds_total /gm)).toHaveLength(1)
  leaving[Symbol.dispose]()
  expect(await metrics.metrics()).not.toContain('"scans"')
})

test('metrics of a single pipeline in a process carry no label', async () => {
  const metrics = new ProcessMetrics('9.9.9')
  metrics.add(new Events(), options, null)
  expect(await metrics.metrics()).toContain('\nsluice_requests_total 0\n')
})
