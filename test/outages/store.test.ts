import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readLines } from '../support/json-lines.ts'
import { STACK_TRACE, type RunningSluice } from '../support/sluice.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'
import { SmallDisk } from './support/small-disk.ts'
import { elapse } from '../support/wait.ts'

const CONCURRENCY = 4
/** A receipt and the outputs of a document of 40 kB take some 75 kB. */
const BYTES = 40_000
const DOCUMENTS = 40

const SCENE = { documents: DOCUMENTS, bytes: BYTES, reply: () => ({ delayMs: 20 }) }

/** Resolves when the service is asked for nothing more. */
async function standstill({ service }: Harness): Promise<number> {
  for (;;) {
    const { length } = service.requests
    await elapse(1_500, 'a run that goes on sends a request meanwhile')
    if (length > CONCURRENCY && service.requests.length === length) return length
  }
}

async function expectWellEnded(running: RunningSluice, harness: Harness): Promise<void> {
  const { code, stderr } = await running.finished
  expect(stderr).not.toMatch(STACK_TRACE)
  expect(code).toBe(0)
  await harness.expectAllPaidOnce(DOCUMENTS)
}

describe.concurrent('an output store', () => {
  test('that is full pauses the run and its purchases until space is free', async (context) => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open(SCENE)
    await using disk = await SmallDisk.mountOrSkip(harness.out, '1m', context)
    const flags = { 'redis-url': redis.url, 'state-dir': `${harness.source}-state`, concurrency: CONCURRENCY }
    const running = harness.start('run', flags)
    const bought = await standstill(harness)
    const stored = (await harness.read()).records.size
    expect(stored).toBeGreaterThan(3)
    expect(bought).toBeLessThanOrEqual(stored + CONCURRENCY)
    await disk.resize('32m')
    await expectWellEnded(running, harness)
  }, 240_000)

  test('that is full together with the private Redis pauses the run until space is free', async (context) => {
    await using harness = await Harness.open(SCENE)
    await using disk = await SmallDisk.mountOrSkip(harness.out, '1m', context)
    const running = harness.start('run', { concurrency: CONCURRENCY })
    const bought = await standstill(harness)
    expect(bought).toBeLessThanOrEqual((await harness.read()).records.size + CONCURRENCY)
    await disk.resize('32m')
    await expectWellEnded(running, harness)
  }, 240_000)

  test('that is full together with the private Redis and the log pauses the run, which succeeds', async (context) => {
    await using harness = await Harness.open(SCENE)
    await using disk = await SmallDisk.mountOrSkip(harness.out, '2m', context)
    const running = harness.start('run', { concurrency: CONCURRENCY, 'log-file': null, 'log-level': 'debug' })
    const bought = await standstill(harness)
    expect(bought).toBeLessThanOrEqual((await harness.read()).records.size + CONCURRENCY)
    // Longer than an outage takes to be confirmed: its line is the first that the log cannot take.
    await elapse(5_000, 'a full disk lasts, and each second a timer has something to log')
    expect(running.child.exitCode).toBeNull()
    await disk.resize('32m')
    await expectWellEnded(running, harness)
    expect(running.stderr()).not.toContain('MaxListeners')
    expect(running.stderr().match(/the log .* cannot be written/g)).toHaveLength(1)
    const lines = await readLines<{ readonly msg: string }>(join(harness.out, '.sluice/sluice.log'))
    expect(lines.filter(({ msg }) => msg === 'document settled')).toHaveLength(DOCUMENTS)
  }, 240_000)

  test('that turns read-only pauses the run and its purchases until it is writable', async (context) => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open(SCENE)
    await using disk = await SmallDisk.mountOrSkip(harness.out, '32m', context)
    const flags = { 'redis-url': redis.url, 'state-dir': `${harness.source}-state`, concurrency: CONCURRENCY }
    const running = harness.start('run', flags)
    await harness.requested(8, running)
    await disk.makeReadOnly()
    const bought = await standstill(harness)
    expect(bought).toBeLessThanOrEqual((await harness.read()).records.size + CONCURRENCY)
    expect(bought).toBeLessThan(DOCUMENTS)
    await disk.makeWritable()
    await expectWellEnded(running, harness)
  }, 240_000)
})
