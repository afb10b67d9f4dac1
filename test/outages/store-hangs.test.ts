import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { seenAfter } from './support/four-channels.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'

const TROUBLE = join(import.meta.dirname, '../campaign/preloads/store-trouble.ts')

test('a store that hangs after intake is reported in all four channels after 10 s, and all is paid for once', async () => {
  await using redis = await OwnRedis.start()
  await using harness = await Harness.open({ documents: 60, reply: () => ({ delayMs: 30 }) })
  const metricsPort = await freePort()
  const flags = {
    'redis-url': redis.url,
    'state-dir': `${harness.source}-state`,
    'metrics-port': metricsPort,
    concurrency: 2,
  }
  const env = {
    FAULT_STORE: harness.out,
    FAULT_STORE_TROUBLE: 'hangs',
    FAULT_LASTS_MS: '20000',
  }
  const running = harness.start('run', flags, { env, execArgv: ['--import', TROUBLE] })
  await harness.requested(5, running)
  running.child.kill('SIGUSR2')
  const channels = { running, logFile: harness.log, metricsPort }
  const cause = /a write takes longer than 10 s/
  const seen = await seenAfter(channels, { cause, metric: /sluice_dependency_up\{dependency="store"\} 0/ })
  expect(Object.entries(seen).filter(([, ms]) => ms === null)).toEqual([])
  const { code, stderr } = await running.finished
  expect([code, stderr]).toEqual([0, expect.stringMatching(/the store works again/)])
  await harness.expectAllPaidOnce(60)
}, 240_000)
