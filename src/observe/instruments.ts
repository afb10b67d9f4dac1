import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** From 10 ms to the longest timeout of the contract, 300 s. */
const REQUEST_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** A name, its help, and the closed list of label values, if it has a label. */
export interface CounterOptions<L extends string> {
  readonly name: string
  readonly help: string
  readonly label?: L
  readonly values?: readonly string[]
}

/** Creates a counter whose series start at zero: `increase()` ignores the first increment of a new series. */
export function counter<L extends string>(registry: Registry, options: CounterOptions<L>): Counter<L> {
  const { name, help, label, values = [] } = options
  const made = new Counter<L>({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
  })
  if (label !== undefined) for (const value of values) made.labels(value).inc(0)
  return made
}

export function histogram(registry: Registry, name: string, help: string, buckets = REQUEST_BUCKETS): Histogram {
  return new Histogram({ name, help, registers: [registry], buckets })
}

/** Creates a gauge that computes its value at each scrape; null omits it. */
export function gauge(registry: Registry, name: string, help: string, value: () => Promise<number | null>): Gauge {
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
