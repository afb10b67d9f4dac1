import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import type { RunningSluice } from '../support/sluice.ts'
import { OwnRedis } from '../outages/support/own-redis.ts'
import { Harness } from '../outages/support/harness.ts'
import { until } from '../support/wait.ts'
import { listen } from '../support/listen.ts'

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

const valueOf = ({ attributes }: Pick<OtlpSpan, 'attributes'>, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

/** A collector that keeps what it is sent, and answers with this status; null never answers. */
async function startCollector(status: number | null = 200) {
  const exports: Export[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers)
    const answer = async (): Promise<void> => {
      exports.push(JSON.parse(await text(request)) as Export)
      if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    }
    void answer()
  })
  return {
    ...(await listen(server)),
    headers,
    exports,
    spans: () =>
      exports.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
  }
}

const REPORTED = { preloads: ['report-tracing.ts'] }

describe('traces', () => {
  test('bring the spans of each document to a collector, and the id of the requesting span to the service', async () => {
    await using collector = await startCollector()
    await using harness = await Harness.open({ documents: 3 })
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=archive%20one',
      OTEL_SERVICE_NAME: 'night-run',
    }
    const run = await harness.start('run', {}, { env, ...REPORTED }).finished
    expect(run.code, run.stderr).toBe(0)
    expect(run.stderr).toContain('spans are exported')
    const spans = collector.spans()
    const documents = spans.filter(({ name }) => name === 'document')
    expect(documents.map((span) => String(valueOf(span, 'sluice.key'))).toSorted()).toEqual([
      '0.html',
      '1.html',
      '2.html',
    ])
    for (const document of documents) {
      const ofDocument = spans.filter(({ traceId }) => traceId === document.traceId)
      expect(ofDocument.map(({ name }) => name)).toEqual(['enqueue', 'wait', 'request', 'commit', 'document'])
      expect(document.parentSpanId).toBe(ofDocument[0]?.spanId)
      expect(ofDocument.slice(1, 4).every(({ parentSpanId }) => parentSpanId === document.spanId)).toBe(true)
      expect(ofDocument.every((span) => BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano))).toBe(true)
      expect(valueOf(document, 'sluice.outcome')).toBe('done')
    }
    const sent = harness.service.requests.map(({ headers }) => String(headers['traceparent']))
    const asked = spans
      .filter(({ name }) => name === 'request')
      .map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)
    expect(sent.toSorted()).toEqual(asked.toSorted())
    expect(collector.headers[0]?.['x-team']).toBe('archive one')
    expect(valueOf(collector.exports[0]?.resourceSpans[0]?.resource ?? { attributes: [] }, 'service.name')).toBe(
      'night-run',
    )
  })

  test('of one document span the process that enqueues it, one that dies and one that ends it', async () => {
    await using collector = await startCollector()
    await using redis = await OwnRedis.start()
    let isHeld = true
    const reply = () => (isHeld ? ({ fault: 'hang' } as const) : {})
    await using harness = await Harness.open({ documents: 1, reply })
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const start = (name: string): RunningSluice =>
      harness.start(
        'watch',
        { 'redis-url': redis.url, 'log-file': `${harness.log}-${name}`, 'log-level': 'debug' },
        { env },
      )
    const first = start('first')
    await harness.requested(1, first)
    const isReported = async (name: string): Promise<boolean> =>
      collector.spans().some((span) => span.name === name && valueOf(span, 'sluice.key') === '0.html')
    await until('its enqueueing is reported', 10_000, () => isReported('enqueue'))
    first.child.kill('SIGKILL')
    isHeld = false
    const second = start('second')
    await until('it ends', 25_000, () => isReported('document'))
    second.child.kill('SIGTERM')
    await second.finished
    const ofDocument = collector.spans()
    // A `wait` of the process that was killed is reported or not.
    expect(ofDocument[0]?.name).toBe('enqueue')
    expect(ofDocument.slice(-4).map(({ name }) => name)).toEqual(['wait', 'request', 'commit', 'document'])
    expect(new Set(ofDocument.map(({ traceId }) => traceId)).size).toBe(1)
    expect(ofDocument.at(-1)?.parentSpanId).toBe(ofDocument[0]?.spanId)
    const from = collector.exports.map(({ resourceSpans }) =>
      valueOf(resourceSpans[0]?.resource ?? { attributes: [] }, 'service.instance.id'),
    )
    expect(new Set(from).size).toBe(2)

    // What the first process wrote, and then the second, is the way of one document.
    const linesOf = async (name: string): Promise<readonly Record<string, unknown>[]> =>
      (await readFile(`${harness.log}-${name}`, 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ key }) => key === '0.html')
    const messages = async (name: string) => (await linesOf(name)).map(({ msg }) => msg)
    const [sent, ended] = ['request waits for credits and the limiter', ['document committed', 'document settled']]
    expect(await messages('first')).toEqual(['document enqueued', 'document claimed', sent, 'request sent'])
    const after = (await messages('second')).slice(-6)
    expect(after).toEqual(['document claimed', sent, 'request sent', 'request answered', ...ended])
    expect(new Set([...(await linesOf('first')), ...(await linesOf('second'))].map(({ run }) => run)).size).toBe(2)
  }, 240_000)

  test('affect no document or exit code when the collector fails, which the log reports once', async () => {
    await using refusing = await startCollector(500)
    await using hanging = await startCollector(null)
    await using harness = await Harness.open({ documents: 2 })
    const untraced = await harness.start('run', {}, REPORTED).finished
    expect(untraced.code).toBe(0)
    expect(untraced.stderr).not.toContain('spans are exported')
    expect(harness.service.requests.map(({ headers }) => headers['traceparent'])).toEqual([undefined, undefined])
    const away = `http://127.0.0.1:${await freePort()}`
    for (const [number, url] of [away, refusing.url, hanging.url].entries()) {
      await harness.write(`more-${number}.html`, `<p>More ${number}.`)
      // A process that waited for its collector would outlast this test.
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' }
      const log = `${harness.log}-${number}`
      expect((await harness.start('run', { 'log-file': log }, { env }).finished).code).toBe(0)
      const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
      const reported = lines.map((line) => JSON.parse(line) as { msg: string; cause?: string })
      const causes = reported
        .filter(({ msg }) => msg === 'spans not sent to the collector')
        .map(({ cause = '' }) => cause)
      expect(causes.at(-1)).toMatch(/^\d+ spans were dropped in total/)
      expect(causes[0]).toMatch([/ECONNREFUSED/, /answered 500/, /abort/][number] ?? /never/)
      expect(causes).toHaveLength(2)
    }
  })

  test('send the login of the address as a header, and no log or terminal shows a header', async () => {
    await using collector = await startCollector()
    await using harness = await Harness.open({ documents: 1 })
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace('//', '//team:sesame%21@'),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=opensesame%0Aopen,x-team=one',
      OTEL_TRACES_SAMPLER: 'sesame',
    }
    const run = await harness.start('run', {}, { env }).finished
    expect(run.code, run.stderr).toBe(0)
    const basic = `Basic ${Buffer.from('team:sesame!').toString('base64')}`
    expect(collector.headers[0]).toMatchObject({ authorization: basic, 'x-team': 'one' })
    expect(run.stderr).toContain('traces: OTEL_EXPORTER_OTLP_HEADERS: part 1 is not a valid header')
    expect(run.stderr).toContain('traces: OTEL_TRACES_SAMPLER must be')
    expect(`${run.stdout}${run.stderr}${await readFile(harness.log, 'utf8')}`).not.toContain('sesame')
  })
})
