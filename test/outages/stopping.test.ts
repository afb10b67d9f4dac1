import { describe, expect, test } from 'vitest'
import { elapse, until } from '../support/wait.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'

/** Beyond the grace: noticing the abort, handing jobs back, closing, on a busy machine. */
const SLACK_MS = 60_000

describe.concurrent('a run that is asked to stop', () => {
  test('gives documents in flight their grace period, counts the aborted ones, and uses no attempt', async () => {
    let hangs = true
    await using harness = await Harness.open({ documents: 6, reply: () => (hangs ? { fault: 'hang' } : {}) })
    const running = harness.start('run', { concurrency: 3, 'grace-ms': 1_000 })
    await harness.requested(3, running)
    const askedAt = performance.now()
    running.child.kill('SIGTERM')
    const { code, stdout } = await running.finished
    const tookMs = performance.now() - askedAt
    expect([code, stdout]).toEqual([130, expect.stringContaining('ambiguous: 3 requests')])
    expect(tookMs).toBeGreaterThan(1_000)
    expect(tookMs).toBeLessThan(1_000 + SLACK_MS)
    hangs = false
    expect((await harness.run()).code).toBe(0)
    const { records } = await harness.expectAllPaidOnce(6)
    expect([...records.values()].map(({ attempts }) => attempts)).toEqual(Array(6).fill(1))
  }, 240_000)

  test('treats a repeated SIGTERM and a SIGHUP as one stop, and pays once for documents in flight', async () => {
    await using harness = await Harness.open({ documents: 6, reply: () => ({ delayMs: 3_000 }) })
    const running = harness.start('run', { concurrency: 3 })
    await harness.requested(3, running)
    // GNU timeout signals the process and its group, and a closed terminal may follow.
    running.child.kill('SIGTERM')
    running.child.kill('SIGTERM')
    await until('the answer', 30_000, () => running.stderr().includes('finishing'))
    running.child.kill('SIGTERM')
    running.child.kill('SIGHUP')
    const { code, stdout, stderr } = await running.finished
    expect([code, stdout]).toEqual([130, expect.stringContaining('stopped by SIGTERM')])
    expect(stderr).not.toContain('stopping at once')
    expect(harness.service.charged).toBe((await harness.read()).records.size)
    expect((await harness.run()).code).toBe(0)
    await harness.expectAllPaidOnce(6)
  }, 240_000)

  test('finishes documents in flight when its terminal closes', async () => {
    await using harness = await Harness.open({ documents: 6, reply: () => ({ delayMs: 3_000 }) })
    const running = harness.start('run', { concurrency: 3 })
    await harness.requested(3, running)
    running.child.kill('SIGHUP')
    const { code, stdout } = await running.finished
    expect([code, stdout]).toEqual([130, expect.stringContaining('stopped by SIGHUP')])
    expect((await harness.run()).code).toBe(0)
    await harness.expectAllPaidOnce(6)
  }, 240_000)

  test('continues under nohup when its terminal closes', async () => {
    await using harness = await Harness.open({ documents: 6, reply: () => ({ delayMs: 2_000 }) })
    const running = harness.start('run', { concurrency: 3 }, { under: 'nohup' })
    await harness.requested(3, running)
    running.child.kill('SIGHUP')
    expect((await running.finished).code).toBe(0)
    await harness.expectAllPaidOnce(6)
  }, 240_000)

  test('ends at once at a second Ctrl-C, however long the grace', async () => {
    await using harness = await Harness.open({ documents: 6, reply: () => ({ fault: 'hang' }) })
    const running = harness.start('run', { concurrency: 3, 'grace-ms': 600_000 })
    await harness.requested(3, running)
    running.child.kill('SIGINT')
    // A key that bounces, or a terminal and a shell that both pass it on.
    running.child.kill('SIGINT')
    await until('the answer', 30_000, () => running.stderr().includes('finishing'))
    await elapse(1_100, 'a second Ctrl-C counts after a second')
    expect(running.stderr()).not.toContain('stopping at once')
    const askedAt = performance.now()
    running.child.kill('SIGINT')
    const { code, stderr } = await running.finished
    expect(performance.now() - askedAt).toBeLessThan(SLACK_MS)
    expect([code, stderr]).toEqual([130, expect.stringContaining('stopping at once')])
  }, 240_000)

  test('and was paused commits nothing over the worker that took its document over', async () => {
    await using redis = await OwnRedis.start()
    const answers = { first: { delayMs: 2_000 }, later: {} }
    await using harness = await Harness.open({
      documents: 1,
      reply: ({ number }) => (number === 1 ? answers.first : answers.later),
    })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000 }
    const frozen = harness.start('run', flags)
    await harness.requested(1, frozen)
    frozen.child.kill('SIGSTOP')
    const other = await harness.run(flags)
    expect(other.code).toBe(0)
    const before = (await harness.read()).records.get('0.html')
    frozen.child.kill('SIGCONT')
    expect((await frozen.finished).code).toBe(0)
    expect((await harness.read()).records.get('0.html')).toEqual(before)
    // The request of the frozen one was in doubt: sent again, and reported.
    expect(harness.service.requests.length).toBe(2)
    expect(other.stdout).toMatch(/ambiguous: 1 request/)
  }, 240_000)
})
