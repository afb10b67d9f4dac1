/** Ends the help of what every process of a pipeline, or of an API key, reports alike. */
export const SHARED = 'Shared: the same in every process, so take max, not sum.'

/** One value that is asked of the surroundings at each scrape. */
export interface Reading {
  /** With its unit at the end: `sluice_gate_shut_seconds_total`. */
  readonly name: string
  readonly help: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Prometheus text of readings, for what other processes count as well and no counter of ours could hold. */
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
