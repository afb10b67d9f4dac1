import { setTimeout as sleep } from 'node:timers/promises'

/** Metrics of one process in the text format of Prometheus, read as a scraper reads them. */
export interface Metrics {
  /** The series with exactly these labels; 0 where there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number
  /** All series of a name. */
  sum(name: string): number
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/

/** A process on a busy machine may take this long until it listens. */
const LISTENS_MS = 120_000

/** Waits for a process that does not listen yet, or closed an idle connection. */
export async function scrape(port: number): Promise<string> {
  for (const until = Date.now() + LISTENS_MS; ; await sleep(100)) {
    try {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      // A Redis that is too busy to answer leaves the gauges out for a moment.
      if (text.includes('\nsluice_documents{') || Date.now() > until) return text
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

export async function readMetrics(port: number): Promise<Metrics> {
  const series = (await scrape(port)).split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? []
    return name === '' ? [] : [{ name, labels, value: Number(value) }]
  })
  const of = (name: string) => series.filter((one) => one.name === name)
  const text = (labels: Readonly<Record<string, string>>): string =>
    Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(',')
  return {
    value: (name, labels = {}) => of(name).find((one) => one.labels === text(labels))?.value ?? 0,
    sum: (name) => of(name).reduce((sum, { value }) => sum + value, 0),
  }
}
