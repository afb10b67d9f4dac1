import { rename } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { STACK_TRACE } from '../support/sluice.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'
import { elapse, until } from '../support/wait.ts'

/* Redis loses data under live processes, in each way there is. */

const DOCUMENTS = 60

/** Does it to a Redis when it is called, and to what it held before. */
type Loss = (redis: OwnRedis, before: () => Promise<void>) => Promise<void>

const LOSSES: readonly (readonly [string, Loss])[] = [
  ['emptied by FLUSHALL', async (redis, before) => (await before(), redis.flush())],
  ['restarted without persistence', async (redis, before) => (await before(), redis.restartEmpty())],
  [
    'rolled back to a snapshot',
    async (redis, before) => {
      const rollBack = await redis.snapshot()
      await before()
      await elapse(1_500, 'a heartbeat is among what is lost')
      await rollBack()
    },
  ],
]

describe('a Redis that is', () => {
  test.each(LOSSES)(
    '%s under a run and a worker lets the run end with every document done once',
    async (_, lose) => {
      await using redis = await OwnRedis.start()
      await using harness = await Harness.open({ documents: DOCUMENTS, reply: () => ({ delayMs: 400 }) })
      const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4 }
      const running = harness.start('run', flags)
      const helpers = [harness.start('work', flags)]
      await harness.requested(6, running)
      await lose(redis, () => harness.requested(18, running))
      const { code, stdout, stderr } = await running.finished
      expect(stderr).not.toMatch(STACK_TRACE)
      expect(stderr).toMatch(/Redis lost data/)
      expect(code, stdout).toBe(0)
      expect(stdout).not.toMatch(/ambiguous/)
      await harness.expectAllPaidOnce(DOCUMENTS)
      for (const { child } of helpers) child.kill('SIGTERM')
      for (const { finished } of helpers) expect((await finished).code).toBe(0)
    },
    240_000,
  )

  test('emptied during a store outage makes the run wait for the store, not assume it empty', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 24, reply: () => ({ delayMs: 100 }) })
    const running = harness.start('run', { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4 })
    await harness.requested(8, running)
    await rename(harness.out, `${harness.out}-away`)
    await redis.flush()
    await elapse(2_000, 'the store is away for twice the heartbeat timeout')
    await rename(`${harness.out}-away`, harness.out)
    const { code, stderr } = await running.finished
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Redis lost data/)])
    await harness.expectAllPaidOnce(24)
  }, 240_000)

  test('emptied under a watch makes it scan at once, without waiting for the next rescan', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: DOCUMENTS, reply: () => ({ delayMs: 100 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4, 'stable-ms': 100 }
    const watching = harness.start('watch', { ...flags, 'rescan-ms': 3_600_000 })
    await harness.requested(10, watching)
    await redis.flush()
    await until('all documents are done', 90_000, async () => (await harness.read()).records.size === DOCUMENTS)
    watching.child.kill('SIGTERM')
    expect((await watching.finished).code).toBe(0)
    await harness.expectAllPaidOnce(DOCUMENTS)
  }, 240_000)

  test('emptied under a scheduled watch makes it scan at once and keep the schedule', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 30, reply: () => ({ delayMs: 100 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4 }
    const watching = harness.start('watch', { ...flags, every: '20s' })
    await harness.requested(8, watching)
    await redis.flush()
    await until('all documents are done', 18_000, async () => (await harness.read()).records.size === 30)
    await harness.write('late.html', '<p>late')
    await until('the next scan finds the new one', 60_000, async () => (await harness.read()).records.size === 31)
    watching.child.kill('SIGTERM')
    expect((await watching.finished).code).toBe(0)
    await harness.expectAllPaidOnce(31)
  }, 240_000)

  test('emptied between two runs keeps the charges of a month, and the cap still applies', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 20 })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 2, 'monthly-credits': 12 }
    expect((await harness.run(flags)).code).toBe(3)
    expect(harness.service.charged).toBe(12)
    await redis.flush()
    expect((await harness.run(flags)).code).toBe(3)
    expect(harness.service.charged).toBe(12)
  }, 240_000)

  test('emptied in the middle of a run does not reset its cap', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 40, reply: () => ({ delayMs: 100 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 2, 'max-credits': 20 }
    const running = harness.start('run', flags)
    await harness.requested(10, running)
    await redis.flush()
    expect((await running.finished).code).toBe(3)
    expect(harness.service.charged).toBe(20)
  }, 240_000)
})
