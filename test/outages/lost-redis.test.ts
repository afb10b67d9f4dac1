import { rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { until } from '../support/redis.ts'
import { STACK_TRACE } from '../support/sluice.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Scene } from './support/scene.ts'

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
      // So that a heartbeat is among what is lost.
      await sleep(1_500)
      await rollBack()
    },
  ],
]

describe('a Redis that is', () => {
  test.each(LOSSES)(
    '%s under a run and a worker: the run ends when every document is done, once',
    async (_, lose) => {
      await using redis = await OwnRedis.start()
      await using scene = await Scene.open({ documents: DOCUMENTS, reply: () => ({ delayMs: 400 }) })
      const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4 }
      const running = scene.start('run', flags)
      const helpers = [scene.start('work', flags)]
      await scene.requested(6, running)
      await lose(redis, () => scene.requested(18, running))
      const { code, stdout, stderr } = await running.finished
      expect(stderr).not.toMatch(STACK_TRACE)
      expect(stderr).toMatch(/Redis lost data/)
      expect(code, stdout).toBe(0)
      expect(stdout).not.toMatch(/ambiguous/)
      await scene.expectAllPaidOnce(DOCUMENTS)
      for (const { child } of helpers) child.kill('SIGTERM')
      for (const { finished } of helpers) expect((await finished).code).toBe(0)
    },
    60_000,
  )

  test('emptied while the store is away: the store is waited for, and not taken for empty', async () => {
    await using redis = await OwnRedis.start()
    await using scene = await Scene.open({ documents: 24, reply: () => ({ delayMs: 100 }) })
    const running = scene.start('run', { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4 })
    await scene.requested(8, running)
    await rename(scene.out, `${scene.out}-away`)
    await redis.flush()
    await sleep(2_000)
    await rename(`${scene.out}-away`, scene.out)
    const { code, stderr } = await running.finished
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Redis lost data/)])
    await scene.expectAllPaidOnce(24)
  }, 120_000)

  test('emptied under a watch: it goes on at once, without waiting for its next rescan', async () => {
    await using redis = await OwnRedis.start()
    await using scene = await Scene.open({ documents: DOCUMENTS, reply: () => ({ delayMs: 100 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4, 'stable-ms': 100 }
    const watching = scene.start('watch', { ...flags, 'rescan-ms': 3_600_000 })
    await scene.requested(10, watching)
    await redis.flush()
    await until('all documents are done', 90_000, async () => (await scene.read()).records.size === DOCUMENTS)
    watching.child.kill('SIGTERM')
    expect((await watching.finished).code).toBe(0)
    await scene.expectAllPaidOnce(DOCUMENTS)
  }, 180_000)

  test('emptied under a watch with a schedule: it scans at once, and keeps the schedule', async () => {
    await using redis = await OwnRedis.start()
    await using scene = await Scene.open({ documents: 30, reply: () => ({ delayMs: 100 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 4 }
    const watching = scene.start('watch', { ...flags, every: '20s' })
    await scene.requested(8, watching)
    await redis.flush()
    await until('all documents are done', 18_000, async () => (await scene.read()).records.size === 30)
    await scene.write('late.html', '<p>late')
    await until('the next scan finds the new one', 60_000, async () => (await scene.read()).records.size === 31)
    watching.child.kill('SIGTERM')
    expect((await watching.finished).code).toBe(0)
    await scene.expectAllPaidOnce(31)
  }, 180_000)

  test('emptied between two runs keeps what a month has cost: the cap still holds', async () => {
    await using redis = await OwnRedis.start()
    await using scene = await Scene.open({ documents: 20 })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 2, 'monthly-credits': 12 }
    expect((await scene.run(flags)).code).toBe(3)
    expect(scene.service.charged).toBe(12)
    await redis.flush()
    expect((await scene.run(flags)).code).toBe(3)
    expect(scene.service.charged).toBe(12)
  }, 180_000)

  test('emptied in the middle of a run does not reset its cap', async () => {
    await using redis = await OwnRedis.start()
    await using scene = await Scene.open({ documents: 40, reply: () => ({ delayMs: 100 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 2, 'max-credits': 20 }
    const running = scene.start('run', flags)
    await scene.requested(10, running)
    await redis.flush()
    expect((await running.finished).code).toBe(3)
    expect(scene.service.charged).toBe(20)
  }, 180_000)
})
