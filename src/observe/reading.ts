/** Suffix of the help of metrics that every process of a pipeline, or of an API key, reports alike. */
export const SHARED = 'Every process reports the same value: aggregate with max, not sum.'

/** A value that is read from the environment at each scrape. */
export interface Reading {
  /** With its unit at the end: `sluice_gate_shut_seconds_total`. */
  readonly name: string
  readonly help: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * Renders readings as Prometheus text, for values that other processes change as well, so that a local counter cannot
 * hold them.
 */
export function readingsText(readings: readonly Reading[]): string {
  const byName = Map.groupBy(readings, ({ name }) => name)
  return [...byName]
    .map(([name, values]) => {
      const type = name.endsWith('_total') ? 'counter' : 'gauge'
      const lines = values.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`)
      return `# HELP ${name} ${values[0]?.help ?? ''}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
    })
    .join('\n')
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
