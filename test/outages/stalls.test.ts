import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'

describe.concurrent('two workers', () => {
  test('with event loops stalled for 100 ms at a time do no document twice', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 150, reply: () => ({ delayMs: 50 }) })
    const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 10 }
    const stalling = { preloads: ['stalling-loop.ts'] }
    const running = harness.start('run', flags, stalling)
    const helper = harness.start('work', flags, stalling)
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/ambiguous/)
    await harness.expectAllPaidOnce(150)
    helper.child.kill('SIGTERM')
    const stopped = await helper.finished
    expect(stopped.code, `${stopped.stdout}\n${stopped.stderr}`).toBe(0)
  }, 240_000)
})

describe.concurrent('a file written to while it is read', () => {
  test('is sent as one of its versions, never as a mixture, and ends as its last', async () => {
    await using harness = await Harness.open({ documents: 0 })
    const path = join(harness.source, 'busy.html')
    let version = 0
    const write = (): void => {
      version += 1
      // Into the same file, in pieces, always of the same size.
      const file = openSync(path, version === 1 ? 'w' : 'r+')
      for (let piece = 0; piece < 8; piece++) writeSync(file, Buffer.alloc(80_000, 65 + (version % 26)))
      closeSync(file)
    }
    write()
    const running = harness.start('run', { concurrency: 1 })
    const until = performance.now() + 3_000
    const writing = setInterval(() => (performance.now() < until ? write() : undefined), 2)
    await running.finished
    clearInterval(writing)
    const last = await harness.run()
    expect(last.code).toBe(0)
    for (const { file } of harness.service.requests) {
      const content = file?.content ?? Buffer.alloc(0)
      if (content.length === 640_000) expect(new Set(content).size).toBe(1)
    }
    const { records, letters } = await harness.read()
    expect([records.size, letters.size]).toEqual([1, 0])
    expect(version).toBeGreaterThan(100)
  }, 240_000)
})
