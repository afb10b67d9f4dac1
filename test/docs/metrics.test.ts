import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { NO_COUNTS } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { DependencyMonitor } from '#src/observe/dependency-monitor.ts'
import { outageReadings } from '#src/observe/outage-text.ts'
import { ProcessMetrics } from '#src/observe/process-metrics.ts'
import { readingsText } from '#src/observe/reading.ts'
import { capReadings, readingsOf } from '#workers/gate-readings.ts'
import { gateState } from '../support/gate-state.ts'
import { findPrometheus } from '../support/prometheus.ts'
import { familiesOf, metricsTable } from './metrics-table.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/metrics.md')

/** A gate that has something to report of everything. */
const GATE = gateState({
  rate: { perWindow: 10, learned: true },
  askedInMs: 60_000,
  credits: new Map([
    ['run:5f0c', { held: 1, spent: 2 }],
    ['month:2026-11', { held: 5, spent: 6 }],
  ]),
})

const ACCOUNT = { service: 'default', creditsLeft: 70, monthlyCredits: 100 }

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
  return `${await metrics.metrics()}\n${readingsText([...outageReadings(monitor), ...capReadings(null, { limit: 9, spent: 4 }), ...readingsOf(GATE, ACCOUNT)])}`
}

test('docs/metrics.md lists every metric of the code, with its type, labels and help', async () => {
  const [, listed = ''] = /<!-- metrics -->\n+([^]*?)\n+<!-- \/metrics -->/.exec(await readFile(PAGE, 'utf8')) ?? []
  const table = metricsTable(familiesOf(await exposition()))
  expect(table.split('\n').length).toBeGreaterThan(30)
  expect(listed, `the table should be:\n${table}\n`).toBe(table)
})

test('every series of a labelled counter is there from the start, at zero', async () => {
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
