import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { ask, expectSeen } from './support/four-channels.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'
import { until } from '../support/wait.ts'

async function answered(port: number): Promise<string> {
  let body = ''
  await until('the metrics are answered', 60_000, async () => {
    body = (await ask(port, 'metrics')).body
    return body !== ''
  })
  return body
}

test('an unavailable Redis is reported in all four channels, and every endpoint answers within a second', async () => {
  await using redis = await OwnRedis.start()
  await using harness = await Harness.open({ documents: 200, reply: () => ({ delayMs: 30 }) })
  const metricsPort = await freePort()
  const running = harness.start('run', { 'redis-url': redis.url, 'metrics-port': metricsPort, concurrency: 2 })
  await harness.requested(4, running)
  expect(await answered(metricsPort)).toMatch(/^sluice_redis_up 1$/m)
  await redis.kill()
  await expectSeen({ running, log: harness.log, metricsPort }, /it does not answer/, /^sluice_redis_up 0$/m)
  for (const path of ['healthz', 'readyz', 'metrics'] as const) {
    // On a busy machine not each time.
    const expected = path === 'readyz' ? 503 : 200
    await until(`${path} answers`, 60_000, async () => (await ask(metricsPort, path)).status === expected)
  }
  const body = await answered(metricsPort)
  expect(body).not.toMatch(/^sluice_documents\{/m)
  expect(body).toMatch(/^sluice_requests_total \d/m)
  const before = running.stderr().length
  const since = (): string => running.stderr().slice(before)
  await until('progress names Redis', 15_000, () =>
    /documents, .*Redis is down for [^:]*: it does not answer/.test(since()),
  )
  await redis.start()
  expect((await running.finished).code).toBe(0)
  expect(running.stderr().match(/Redis works again/g)).toHaveLength(1)
  const log = await readFile(harness.log, 'utf8')
  expect(log.match(/"dependency unavailable"/g)).toHaveLength(1)
  expect(log.match(/"dependency works again"/g)).toHaveLength(1)
  await harness.expectAllPaidOnce(200)
}, 240_000)
