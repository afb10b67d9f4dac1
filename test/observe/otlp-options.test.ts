import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { isSampled, traceOf } from '#src/observe/trace/document-trace.ts'
import { readOtlpOptions } from '#src/observe/trace/otlp-options.ts'

const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }

const read = (env: Readonly<Record<string, string>>) => readOtlpOptions({ ...BASE, ...env }, { 'host.name': 'here' })

describe('the standard variables of OpenTelemetry', () => {
  test('name the endpoint, of all signals or of traces', () => {
    expect(readOtlpOptions({}, {})).toEqual({ options: null, problems: [] })
    expect(read({}).options).toMatchObject({ url: 'http://collector:4318/v1/traces', ratio: 1, propagates: true })
    expect(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://own/t' }).options?.url).toBe('http://own/t')
    expect(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '' }).options?.url).toBe('http://collector:4318/v1/traces')
  })

  test.each([
    [{ OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_SDK_DISABLED: 'TRUE' }],
    [{ OTEL_TRACES_EXPORTER: 'none' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ])('disable traces without a message: %j', (env) => {
    expect(read(env)).toEqual({ options: null, problems: [] })
  })

  test.each([
    [{ OTEL_TRACES_EXPORTER: 'otlp,console' }, { ratio: 1 }],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, { ratio: 0 }],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }, { ratio: 0.1 }],
    [{ OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0.1' }, { ratio: 1 }],
    [{ OTEL_PROPAGATORS: 'none' }, { propagates: false }],
    [{ OTEL_PROPAGATORS: 'baggage, tracecontext' }, { propagates: true }],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, { url: 'http://collector:4318/v1/traces' }],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '5000', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '7' }, { timeoutMs: 7 }],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'a=1%2C2,service.name=x,host.name=there' },
      { resource: { a: '1,2', 'service.name': 'x', 'host.name': 'there' } },
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=x', OTEL_SERVICE_NAME: 'y' },
      { resource: { 'service.name': 'y', 'host.name': 'here' } },
    ],
  ])('are followed without a message: %j', (env, options) => {
    const result = read(env)
    expect(result.options).toMatchObject(options)
    expect(result.problems).toEqual([])
  })

  test.each([
    [{ OTEL_SDK_DISABLED: 'yes' }, 'OTEL_SDK_DISABLED', true],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER', false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT', false],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', false],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL', true],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 'OTEL_EXPORTER_OTLP_TIMEOUT', true],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '-1' }, 'OTEL_EXPORTER_OTLP_TIMEOUT', true],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b c=2' }, 'OTEL_EXPORTER_OTLP_HEADERS: part 2', true],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'nothing' }, 'OTEL_EXPORTER_OTLP_HEADERS: part 1', true],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'a=1,b' }, 'OTEL_RESOURCE_ATTRIBUTES', true],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER', true],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10' }, 'OTEL_TRACES_SAMPLER_ARG', true],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, 'OTEL_TRACES_SAMPLER_ARG', true],
  ])('with an invalid value cause one sentence that begins with their name: %j', (env, name, isOn) => {
    const { options, problems } = read(env)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name}`))
    expect(options !== null).toBe(isOn)
  })
})

test('trace sampling depends on the id alone, is equal in all processes and matches the ratio', () => {
  const traces = Array.from({ length: 4_000 }, (_, at) => traceOf('p', sourceKey(`${at}.pdf`), 1_700_000_000_000 + at))
  const kept = (ratio: number): readonly string[] =>
    traces.map(({ traceId }) => traceId).filter((traceId) => isSampled(traceId, ratio))
  expect([kept(0).length, kept(1).length]).toEqual([0, 4_000])
  // Of 4,000 draws at 0.25; five standard deviations are 137.
  expect(Math.abs(kept(0.25).length - 1_000)).toBeLessThan(137)
  expect(kept(0.5)).toEqual(expect.arrayContaining([...kept(0.25)]))
  expect(new Set(traces.map(({ traceId }) => traceId)).size).toBe(4_000)
  expect(traceOf('p', sourceKey('a.pdf'), 1)).not.toEqual(traceOf('p', sourceKey('a.pdf'), 2))
})
