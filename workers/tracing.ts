import { environment } from '#config/environment.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Events } from '#src/events.ts'

/** Traces the documents of pipelines, where a collector is set. */
export interface Tracing extends AsyncDisposable {
  /** From now on; answers what a request for a document carries as `traceparent`. */
  observe(events: Events, pipeline: string | null): (key: SourceKey) => string | null
}

/** Null, and nothing loaded, unless the standard variables of OpenTelemetry name an OTLP endpoint. */
export async function tracingOf(onError: (message: string) => void): Promise<Tracing | null> {
  const env = environment()
  const isSet = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (isSet === undefined) return null
  const { otlpOptions } = await import('#src/observe/trace/otlp-options.ts')
  const options = otlpOptions(env)
  if (options === null) return null
  const { SpanExporter } = await import('#src/observe/trace/span-exporter.ts')
  const { TraceEvents } = await import('#src/observe/trace/trace-events.ts')
  const exporter = new SpanExporter(options, onError)
  return {
    observe: (events, pipeline) => {
      const onSpan = exporter.add.bind(exporter)
      const traced = new TraceEvents(events, { pipeline, ratio: options.ratio, onSpan })
      return (key) => traced.traceparent(key)
    },
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  }
}
