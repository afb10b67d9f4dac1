import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { otlpOptions } from '#src/observe/trace/otlp-options.ts'
import { Scene } from '../surroundings/support/scene.ts'

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

/** A collector that keeps what it is sent. */
async function startCollector() {
  const exports: Export[] = []
  const headers: (string | undefined)[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers['x-team'] as string | undefined)
    const answer = async (): Promise<void> => {
      exports.push(JSON.parse(await text(request)) as Export)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }
    void answer()
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers,
    exports,
    spans: () =>
      exports.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    [Symbol.dispose]: () => void server.close(),
  }
}

describe('traces', () => {
  test('a collector gets the spans of each document, and the service the id of the one that asks it', async () => {
    using collector = await startCollector()
    await using scene = await Scene.open({ documents: 3 })
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=archive%20one',
      OTEL_SERVICE_NAME: 'night-run',
    }
    const run = await scene.start('run', {}, { env }).finished
    expect(run.code, run.stderr).toBe(0)
    const spans = collector.spans()
    const documents = spans.filter(({ name }) => name === 'document')
    expect(documents.map((span) => String(valueOf(span, 'sluice.key'))).toSorted()).toEqual([
      '0.html',
      '1.html',
      '2.html',
    ])
    for (const document of documents) {
      const own = spans.filter(({ traceId }) => traceId === document.traceId)
      expect(own.map(({ name }) => name)).toEqual(['wait', 'request', 'commit', 'document'])
      expect(own.slice(0, 3).every(({ parentSpanId }) => parentSpanId === document.spanId)).toBe(true)
      expect(own.every((span) => BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano))).toBe(true)
      expect(valueOf(document, 'sluice.outcome')).toBe('done')
    }
    const sent = scene.service.requests.map(({ headers }) => String(headers['traceparent']))
    const asked = spans
      .filter(({ name }) => name === 'request')
      .map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)
    expect(sent.toSorted()).toEqual(asked.toSorted())
    expect(collector.headers[0]).toBe('archive one')
    expect(valueOf(collector.exports[0]?.resourceSpans[0]?.resource ?? { attributes: [] }, 'service.name')).toBe(
      'night-run',
    )
  })

  test('without a collector no request carries a trace, and one that is away harms no document', async () => {
    await using scene = await Scene.open({ documents: 2 })
    expect((await scene.run()).code).toBe(0)
    expect(scene.service.requests.map(({ headers }) => headers['traceparent'])).toEqual([undefined, undefined])
    await scene.write('more.html', '<p>More.')
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    expect((await scene.start('run', {}, { env }).finished).code).toBe(0)
  })

  test('the standard variables decide where spans go, and whether', () => {
    expect(otlpOptions({})).toBeNull()
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }
    expect(otlpOptions(base)).toMatchObject({ url: 'http://collector:4318/v1/traces', ratio: 1 })
    expect(otlpOptions({ ...base, OTEL_SDK_DISABLED: 'true' })).toBeNull()
    expect(otlpOptions({ ...base, OTEL_TRACES_EXPORTER: 'none' })).toBeNull()
    expect(otlpOptions({ ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://own/t' })?.url).toBe('http://own/t')
    expect(otlpOptions({ ...base, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' })?.ratio).toBe(
      0.1,
    )
    expect(otlpOptions({ ...base, OTEL_RESOURCE_ATTRIBUTES: 'a=1,service.name=x' })?.resource).toEqual({
      a: '1',
      'service.name': 'x',
    })
  })
})
