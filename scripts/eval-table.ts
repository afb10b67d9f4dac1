import { takes } from './eval-libraries.ts'

interface Scored {
  readonly documents: readonly { readonly name: string; readonly format: string; readonly overall: number | null }[]
}

/** Documents of these sources are read with main content alone: they get a separate row. */
const NEWS = /^aeb-/

/** A row per format: the mean of each reader over all documents of the format; a refused document counts 0. */
export function tableOf(scores: Readonly<Record<string, Scored>>): string {
  const readers = Object.keys(scores)
  const rows = new Map<string, { format: string; means: Map<string, number[]> }>()
  for (const reader of readers) {
    for (const { name, format, overall } of scores[reader]?.documents ?? []) {
      if (overall === null) continue
      const label = NEWS.test(name) ? `${format}: news` : format
      const row = rows.get(label) ?? { format, means: new Map<string, number[]>() }
      row.means.set(reader, [...(row.means.get(reader) ?? []), overall])
      rows.set(label, row)
    }
  }
  const lines = [...rows]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([label, { format, means }]) => {
      const cells = readers.map((reader) => {
        const values = means.get(reader) ?? []
        const isShown = values.length > 0 && (reader === readers[0] || takes(reader, format))
        return isShown ? (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3) : '–'
      })
      return `| ${[label, means.get(readers[0] ?? '')?.length ?? 0, ...cells].join(' | ')} |`
    })
  return [`| format | documents | ${readers.join(' | ')} |`, `|${' --- |'.repeat(readers.length + 2)}`, ...lines].join(
    '\n',
  )
}
