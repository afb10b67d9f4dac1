import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Dashboard, queriesOf } from '../docs/dashboard-schema.ts'
import { freePort } from '../support/free-port.ts'
import { findPrometheus, startPrometheus } from '../support/prometheus.ts'
import { errorReply } from '../support/scripted-service.ts'
import { OwnRedis } from '../outages/support/own-redis.ts'
import { Harness } from '../outages/support/harness.ts'
import { until } from '../support/wait.ts'

const MONITORING = resolve(import.meta.dirname, '../../docs/monitoring')

/** Queries of these panels that have nothing to show in a run without failures and without a known rate limit. */
const EMPTY = ['Failures an hour, by code', 'The limiter']

const programs = await findPrometheus()
if (typeof programs === 'string') console.warn(`alerts are not seen firing: ${programs}`)

test.skipIf(typeof programs === 'string')(
  'the alerts fire when Redis ends and the service has no credits, and are silent before',
  async () => {
    if (typeof programs === 'string') throw new Error(programs)
    await using redis = await OwnRedis.start()
    let hasCredits = true
    const reply = () => (hasCredits ? {} : errorReply(402, 'Insufficient credits.'))
    await using harness = await Harness.open({ documents: 12, reply })
    const port = await freePort()
    const running = harness.start('watch', { 'redis-url': redis.url, 'metrics-port': port, 'stable-ms': 50 })
    // As they are, but without the minutes for which they wait.
    const rules = (await readFile(resolve(MONITORING, 'rules.yml'), 'utf8')).replaceAll(
      /^ +for: .*$/gm,
      '        for: 0s',
    )
    await using prometheus = await startPrometheus(programs, { ports: [port], rules })
    const firing = async (): Promise<string[]> => (await prometheus.alerts()).map(({ name }) => name)
    const becomes = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
      await until(what, 20_000, holds).catch(async (error: unknown) => {
        throw new Error(`firing ${JSON.stringify(await firing())}\n${running.stderr()}`, { cause: error })
      })
    }
    const value = async (query: string): Promise<number | undefined> => (await prometheus.query(query))[0]?.value
    await becomes('all documents done', async () => (await value('sluice_documents{outcome="done"}')) === 12)
    await becomes('nothing waits', async () => (await value('sluice_queue_backlog')) === 0)
    // Before its first scrape a process counts as down; without a backlog nothing else is wrong.
    await becomes('no alert', async () => (await firing()).length === 0)

    const dashboard = JSON.parse(await readFile(resolve(MONITORING, 'grafana/sluice.json'), 'utf8')) as Dashboard
    const queries = queriesOf(dashboard)
    expect(queries.length).toBeGreaterThan(20)
    const empty = async (): Promise<string[]> => {
      const titles = []
      for (const [title, query] of queries) if ((await prometheus.query(query)).length === 0) titles.push(title)
      return titles
    }
    // A rate needs two scrapes; the comparison names a query that stays empty.
    await until('all others answer', 10_000, async () => (await empty()).length <= EMPTY.length).catch(() => undefined)
    expect(await empty()).toEqual(EMPTY)

    hasCredits = false
    await harness.write('more.html', '<p>One more, which is not paid for.')
    await becomes('SluiceHalted', async () => (await firing()).includes('SluiceHalted'))
    await redis.kill()
    await becomes('SluiceRedisDown', async () => (await firing()).includes('SluiceRedisDown'))
    running.child.kill('SIGKILL')
    await becomes('SluiceDown', async () => (await firing()).includes('SluiceDown'))
  },
  240_000,
)
