import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RunningSluice, STACK_TRACE } from '../support/sluice.ts'
import { freePort } from '../support/free-port.ts'
import { expectSeen } from './support/four-channels.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'
import { SmallDisk } from './support/small-disk.ts'
import { until } from '../support/wait.ts'

const asRoot = process.getuid?.() === 0

const TROUBLE = join(import.meta.dirname, '../campaign/preloads/store-trouble.ts')
const STORE_DOWN = /sluice_dependency_up\{dependency="store"\} 0/

/** Until it is reported on the terminal. */
async function noticed(running: RunningSluice, cause: RegExp): Promise<void> {
  await until(`stderr matches ${cause}`, 60_000, () => cause.test(running.stderr()) || running.child.exitCode !== null)
}

describe.concurrent('an output store', () => {
  test('that is read-only is refused before anything is bought, in one sentence', async (context) => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 20 })
    await using disk = await SmallDisk.mountOrSkip(harness.out, '8m', context)
    await disk.makeReadOnly()
    const flags = { 'redis-url': redis.url, 'state-dir': `${harness.source}-state` }
    for (const out of [harness.out, `${harness.out}/not/there`]) {
      const { code, stderr } = await harness.run({ ...flags, out })
      expect(stderr).not.toMatch(STACK_TRACE)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/the file system is read-only/)])
    }
    expect(harness.service.requests.length).toBe(0)
  }, 240_000)

  test.skipIf(asRoot)(
    'that this user may not write to is refused before anything is bought (not for root)',
    async () => {
      await using redis = await OwnRedis.start()
      await using harness = await Harness.open({ documents: 20 })
      await chmod(harness.out, 0o500)
      const { code, stderr } = await harness.run({ 'redis-url': redis.url, 'state-dir': `${harness.source}-state` })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/permission denied/)])
      expect(harness.service.requests.length).toBe(0)
    },
    240_000,
  )

  test('with little space closes intake, is reported in all four channels, and resumes with space', async (context) => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 60, bytes: 40_000, reply: () => ({ delayMs: 20 }) })
    await using disk = await SmallDisk.mountOrSkip(harness.out, '3m', context)
    const metricsPort = await freePort()
    const flags = {
      'redis-url': redis.url,
      'state-dir': `${harness.source}-state`,
      'metrics-port': metricsPort,
      concurrency: 1,
    }
    const running = harness.start('run', flags)
    await harness.requested(10, running)
    const cause = /Sluice sends no requests|the disk is full/
    await expectSeen({ running, log: harness.log, metricsPort }, cause, STORE_DOWN)
    await disk.resize('32m')
    const { code, stderr } = await running.finished
    expect([code, stderr]).toEqual([0, expect.stringMatching(/the store works again/)])
    await harness.expectAllPaidOnce(60)
  }, 240_000)

  test('removed during a run is not refilled silently, and the run halts with the cause', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 100, reply: () => ({ delayMs: 30 }) })
    const metricsPort = await freePort()
    const flags = {
      'redis-url': redis.url,
      'state-dir': `${harness.source}-state`,
      'metrics-port': metricsPort,
      'store-patience-ms': 6_000,
      spool: `${harness.source}-spool`,
      concurrency: 4,
    }
    const running = harness.start('run', flags)
    await harness.requested(10, running)
    await rename(harness.out, `${harness.out}-away`)
    const cause = /was removed while it was in use|was replaced by another one/
    await expectSeen({ running, log: harness.log, metricsPort }, cause, STORE_DOWN)
    const { code, stdout, stderr } = await running.finished
    expect(stderr).not.toMatch(STACK_TRACE)
    expect([code, stdout]).toEqual([3, expect.stringMatching(cause)])
    // Put back, everything that was paid for is there.
    await rm(harness.out, { recursive: true, force: true })
    await rename(`${harness.out}-away`, harness.out)
    expect((await harness.run(flags)).code).toBe(0)
    await harness.expectAllPaidOnce(100)
  }, 240_000)

  test('removed during a run does not delay a stop: paid answers are spooled, and the run ends', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 100, reply: () => ({ delayMs: 30 }) })
    const state = `${harness.source}-state`
    const flags = { 'redis-url': redis.url, 'state-dir': state, spool: `${harness.source}-spool`, concurrency: 4 }
    const running = harness.start('run', flags)
    await harness.requested(10, running)
    await rename(harness.out, `${harness.out}-away`)
    await noticed(running, /was removed while it was in use/)
    const stoppedAt = performance.now()
    running.child.kill('SIGTERM')
    const { code, stdout } = await running.finished
    // The grace for what is in flight is a minute by default.
    expect(performance.now() - stoppedAt).toBeLessThan(30_000)
    expect([code, stdout]).toEqual([130, expect.stringContaining('stopped by SIGTERM')])
    await rename(`${harness.out}-away`, harness.out)
    expect((await harness.run(flags)).code).toBe(0)
    await harness.expectAllPaidOnce(100)
  }, 240_000)

  test('recreates working folders removed during a run', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 60, reply: () => ({ delayMs: 30 }) })
    const running = harness.start('run', {
      'redis-url': redis.url,
      'state-dir': `${harness.source}-state`,
      concurrency: 4,
    })
    await harness.requested(10, running)
    await rm(`${harness.out}/.sluice`, { recursive: true, force: true, maxRetries: 5 })
    const { code, stderr } = await running.finished
    expect([code, stderr]).toEqual([0, expect.any(String)])
    await harness.expectAllPaidOnce(60)
  }, 240_000)

  test('that refuses paid answers gets them from a private, reported spool at the next start', async (context) => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 30, bytes: 40_000, reply: () => ({ delayMs: 20 }) })
    await using disk = await SmallDisk.mountOrSkip(harness.out, '32m', context)
    const spool = `${harness.source}-spool`
    const flags = {
      'redis-url': redis.url,
      'state-dir': `${harness.source}-state`,
      'store-patience-ms': 1_500,
      concurrency: 4,
      spool,
    }
    await mkdir(spool)
    const running = harness.start('run', flags)
    await harness.requested(8, running)
    await disk.makeReadOnly()
    const { code, stdout } = await running.finished
    expect(code).toBe(3)
    const unsaved = harness.service.charged - (await harness.read()).receipts
    expect(unsaved).toBeGreaterThan(0)
    expect(stdout).toMatch(new RegExp(`^spooled: ${unsaved} paid answers?`, 'm'))
    expect(stdout).not.toMatch(/ambiguous|killed/)
    const files = (await readdir(spool, { recursive: true, withFileTypes: true })).filter((dirent) => dirent.isFile())
    expect(files.length).toBe(unsaved)
    for (const { parentPath, name } of files) expect((await stat(join(parentPath, name))).mode & 0o777).toBe(0o600)
    await disk.makeWritable()
    const again = await harness.run(flags)
    expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/committed|spool/)])
    await harness.expectAllPaidOnce(30)
    const left = (await readdir(spool, { recursive: true, withFileTypes: true })).filter((dirent) => dirent.isFile())
    expect(left).toEqual([])
  }, 240_000)

  test('that hangs after intake is reported in all four channels after 10 s, with each document paid once', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 60, reply: () => ({ delayMs: 30 }) })
    const metricsPort = await freePort()
    const flags = {
      'redis-url': redis.url,
      'state-dir': `${harness.source}-state`,
      'metrics-port': metricsPort,
      concurrency: 2,
    }
    const env = { FAULT_STORE: harness.out, FAULT_STORE_TROUBLE: 'hangs', FAULT_LASTS_MS: '20000' }
    const running = harness.start('run', flags, { env, execArgv: ['--import', TROUBLE] })
    await harness.requested(5, running)
    running.child.kill('SIGUSR2')
    await expectSeen({ running, log: harness.log, metricsPort }, /a write takes longer than 10 s/, STORE_DOWN)
    const { code, stderr } = await running.finished
    expect([code, stderr]).toEqual([0, expect.stringMatching(/the store works again/)])
    await harness.expectAllPaidOnce(60)
  }, 240_000)
})
