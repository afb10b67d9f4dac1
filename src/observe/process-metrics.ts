import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Events } from '#src/events.ts'
import { metricsOf, type MetricsOptions } from './metrics.ts'

/**
 * Gauges of prom-client with names of counters: `promtool check metrics` refuses them, and other metrics hold the same
 * value.
 */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Metrics of a process and of all its pipelines as one text; those of a named pipeline carry its name as a label. */
export class ProcessMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly #process = new Registry()
  readonly #pipelines = new Set<Registry>()

  /** `version`: of Sluice. */
  constructor(version: string) {
    // `process_*` and `nodejs_*`, the names that dashboards for Node expect.
    collectDefaultMetrics({ register: this.#process })
    for (const name of MISNAMED) this.#process.removeSingleMetric(name)
    new Gauge({
      name: 'sluice_build_info',
      help: 'Always 1; the labels are the versions of Sluice and Node of this process.',
      labelNames: ['version', 'node'],
      registers: [this.#process],
    }).set({ version, node: process.versions.node }, 1)
  }

  /** Adds these events to the text until disposal. */
  add(events: Events, options: MetricsOptions, pipeline: string | null): Disposable {
    const registry = metricsOf(events, options)
    if (pipeline !== null) registry.setDefaultLabels({ pipeline })
    this.#pipelines.add(registry)
    return { [Symbol.dispose]: () => void this.#pipelines.delete(registry) }
  }

  /** Renders Prometheus text, each name under one help line. */
  async metrics(): Promise<string> {
    const values = await Promise.all([...this.#pipelines].map((registry) => registry.getMetricsAsJSON()))
    const together = AggregatorRegistry.aggregate(values)
    return `${await this.#process.metrics()}\n${await together.metrics()}`
  }
}
