import { hostname } from 'node:os'
import { environment } from '#config/environment.ts'
import { packageVersion } from '#config/package-version.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Events } from '#src/events.ts'
import { RUN_ID } from '#src/observe/run-id.ts'

interface TracedPipeline {
  readonly events: Events
  /** In Redis. */
  readonly id: string
  /** As the settings file names it; null for the one of the command line. */
  readonly name: string | null
}

/** Traces the documents of pipelines, where a collector is set. */
export interface Tracing extends AsyncDisposable {
  /** From now on; answers what a request for a document carries as `traceparent`. */
  observe(pipeline: TracedPipeline): (key: SourceKey) => string | null
}

export interface TracingReports {
  /** A standard variable whose value could not be taken as it is. */
  readonly onProblem: (problem: string) => void
  /** Spans could not be sent. */
  readonly onError: (message: string) => void
}

/** Null, and nothing loaded, unless the standard variables of OpenTelemetry name an OTLP endpoint. */
export async function tracingOf({ onProblem, onError }: TracingReports): Promise<Tracing | null> {
  const env = environment()
  const isSet = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (isSet === undefined) return null
  const { readOtlpOptions } = await import('#src/observe/trace/otlp-options.ts')
  // As in the lines of the log.
  const resource = { 'service.version': packageVersion(), 'service.instance.id': RUN_ID, 'host.name': hostname() }
  const { options, problems } = readOtlpOptions(env, resource)
  problems.forEach(onProblem)
  if (options === null) return null
  const { SpanExporter } = await import('#src/observe/trace/span-exporter.ts')
  const { TraceEvents } = await import('#src/observe/trace/trace-events.ts')
  const exporter = new SpanExporter(options, onError)
  return {
    observe: ({ events, id, name }) => {
      const onSpan = exporter.add.bind(exporter)
      const traced = new TraceEvents(events, { id, pipeline: name, ...options, onSpan })
      return (key) => traced.traceparent(key)
    },
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  }
}
