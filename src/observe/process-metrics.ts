import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { Events } from '#src/events.ts'
import { metricsOf, type MetricsOptions } from './metrics.ts'

/** The metrics of a process and of all its pipelines as one text; those of a named pipeline carry its name as a label. */
export class ProcessMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly #process = new Registry()
  readonly #pipelines = new Set<Registry>()

  constructor() {
    collectDefaultMetrics({ register: this.#process, prefix: 'sluice_' })
  }

  /** Until it is disposed of, what these events tell is part of the text. */
  add(events: Events, options: MetricsOptions, pipeline: string | null): Disposable {
    const registry = metricsOf(events, options)
    if (pipeline !== null) registry.setDefaultLabels({ pipeline })
    this.#pipelines.add(registry)
    return { [Symbol.dispose]: () => void this.#pipelines.delete(registry) }
  }

  /** Prometheus text, each name under one help line. */
  async metrics(): Promise<string> {
    const values = await Promise.all([...this.#pipelines].map((registry) => registry.getMetricsAsJSON()))
    const together = AggregatorRegistry.aggregate(values)
    return `${await this.#process.metrics()}\n${await together.metrics()}`
  }
}
