import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { NO_COUNTS } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { DependencyMonitor } from '#src/observe/dependency-monitor.ts'
import { outageReadings } from '#src/observe/outage-text.ts'
import { ProcessMetrics } from '#src/observe/process-metrics.ts'
import { readingsText, SHARED } from '#src/observe/reading.ts'
import { capReadings, readingsOf } from '#workers/service/gate-readings.ts'
import { gateState } from '../../packages/limiter/test/gate-state.ts'
import { findPrometheus } from '../support/prometheus.ts'

interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Added by Prometheus, or by the buckets of a histogram. */
const LEFT_OUT = new Set(['le', 'pipeline'])

/** Families of a text in the format of Prometheus; those that begin with `sluice_`. */
function familiesOf(text: string): readonly Family[] {
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

/** As docs/reference/metrics.md has it. */
function metricsTable(families: readonly Family[]): string {
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

const PAGE = resolve(import.meta.dirname, '../../docs/reference/metrics.md')

/** A gate that has something to report of everything. */
const GATE = gateState({
  rate: { perWindow: 10, learned: true },
  askedInMs: 60_000,
})

const ACCOUNT = { service: 'default', creditsLeft: 70, monthlyCredits: 100 }
const SPENT = { run: { held: 1, spent: 2 }, month: { held: 5, spent: 6 } }

/** What a scrape answers, all of it. */
async function exposition(): Promise<string> {
  using monitor = new DependencyMonitor({ onChange: () => undefined })
  const metrics = new ProcessMetrics('0.0.0')
  const asked = {
    counts: async () => NO_COUNTS,
    backlog: async () => 0,
    paused: async () => false,
    oldestMs: async () => 0,
    lastScanAt: async () => 1_700_000_000_000,
    halts: async () => [],
  }
  metrics.add(new Events(), asked, 'papers')
  return `${await metrics.metrics()}\n${readingsText([...outageReadings(monitor), ...capReadings(null, { limit: 9, spent: 4 }), ...readingsOf(GATE, ACCOUNT, SPENT)])}`
}

test('docs/reference/metrics.md lists every metric of the code, with its type, labels and help', async () => {
  const [, listed = ''] = /<!-- metrics -->\n+([^]*?)\n+<!-- \/metrics -->/.exec(await readFile(PAGE, 'utf8')) ?? []
  const table = metricsTable(familiesOf(await exposition()))
  expect(table.split('\n').length).toBeGreaterThan(30)
  expect(listed, `the table should be:\n${table}\n`).toBe(table)
})

test('every series of a labelled counter exists from the start, at zero', async () => {
  const families = familiesOf(await exposition())
  const counters = families.filter(({ type }) => type === 'counter')
  expect(counters.length).toBeGreaterThan(15)
  const text = await exposition()
  const without = counters.filter(({ name }) => !new RegExp(`^${name}(\\{|\\s)`, 'm').test(text))
  expect(without.map(({ name }) => name)).toEqual([])
})

const programs = await findPrometheus()
if (typeof programs === 'string') console.warn(`promtool check metrics is skipped: ${programs}`)

test.skipIf(typeof programs === 'string')(
  'promtool check metrics accepts the metrics that a scrape reads',
  async () => {
    if (typeof programs === 'string') throw new Error(programs)
    const checked = spawnSync(programs.promtool, ['check', 'metrics'], { input: await exposition(), encoding: 'utf8' })
    expect([checked.status, checked.stdout + checked.stderr]).toEqual([0, ''])
  },
)
