import { SHARED } from '#src/observe/reading.ts'

interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Added by Prometheus, or by the buckets of a histogram. */
const LEFT_OUT = new Set(['le', 'pipeline'])

/** Families of a text in the format of Prometheus; those that begin with `sluice_`. */
export function familiesOf(text: string): readonly Family[] {
  const lines = text.split('\n')
  return lines.flatMap((line) => {
    const [, name = '', help = ''] = /^# HELP (sluice_\w+) (.*)$/.exec(line) ?? []
    if (name === '') return []
    const type = lines.find((each) => each.startsWith(`# TYPE ${name} `))?.split(' ')[3] ?? ''
    const series = lines.filter((each) => new RegExp(`^${name}(_bucket|_sum|_count)?[{ ]`).test(each))
    const labels = series.flatMap((each) => [...each.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label))
    return [{ name, type, help, labels: [...new Set(labels)].filter((label) => !LEFT_OUT.has(label)).toSorted() }]
  })
}

function aggregation({ name, type, help }: Family): string {
  if (help.endsWith(SHARED)) return 'max'
  return type === 'gauge' && name !== 'sluice_documents_in_flight' ? 'each' : 'sum'
}

/** As docs/metrics.md has it. */
export function metricsTable(families: readonly Family[]): string {
  const rows = families
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((family) => {
      const labels = family.labels.map((label) => `\`${label}\``).join(', ')
      const help = family.help.replace(` ${SHARED}`, '')
      return `| \`${family.name}\` | ${family.type} | ${labels} | ${aggregation(family)} | ${help} |`
    })
  return ['| name | type | labels | over processes | what it is |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
}
