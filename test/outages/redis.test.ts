import { describe, expect, test } from 'vitest'
import { STACK_TRACE } from '../support/sluice.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'
import { elapse } from '../support/wait.ts'

/*
 * A Redis of the user's own, with an append-only file, that goes away under a run. A process counts as dead after
 * `takeover-ms` without a sign of life, so an outage is long or short against that: eight seconds at one second here
 * are more than thirty at the ten that are the default.
 */

describe.concurrent('Redis', () => {
  test('killed repeatedly during enqueueing and parsing loses no document and costs nothing extra', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 500, reply: () => ({ delayMs: 10 }) })
    // A small backlog: the scan goes on adding until shortly before the end.
    const running = harness.start('run', { 'redis-url': redis.url, 'backlog-limit': 50, concurrency: 20 })
    let kills = 0
    while (harness.service.requests.length < 450) {
      await harness.requested(harness.service.requests.length + 70, running)
      await redis.kill()
      kills += 1
      await elapse(100, 'Redis is down')
      await redis.start()
    }
    const { code, stderr } = await running.finished
    expect(stderr).not.toMatch(STACK_TRACE)
    expect(code).toBe(0)
    expect(kills).toBeGreaterThanOrEqual(5)
    await harness.expectAllPaidOnce(500)
  }, 240_000)

  test('unavailable for eight heartbeat timeouts leaves two workers waiting, and no document done twice', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 200, reply: () => ({ delayMs: 20 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 8 }
    const running = harness.start('run', flags)
    const helper = harness.start('work', flags)
    await harness.requested(50, running)
    await redis.kill()
    await elapse(8_000, 'Redis is down for longer than the heartbeat timeout')
    // What was under way is done; nothing new can be asked for.
    expect(harness.service.requests.length).toBeLessThan(50 + 3 * 16)
    await redis.start()
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/ambiguous/)
    await harness.expectAllPaidOnce(200)
    helper.child.kill('SIGTERM')
    expect((await helper.finished).code).toBe(0)
  }, 240_000)
})
