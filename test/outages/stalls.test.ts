import { closeSync, openSync, writeSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OwnRedis } from './support/own-redis.ts'
import type { RunningSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'
import { Harness, textOf } from './support/harness.ts'

describe.concurrent('two workers', () => {
  test('whose event loops stand still for 100 ms at a time double no document', async () => {
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

describe.concurrent.each([
  ['with a journal', {}],
  ['without a journal', { 'journal-mb': 0 }],
])('a worker that stands still in its commit, %s', (_, journal) => {
  test.each([
    ['committed a later version', 'changed'],
    ['found it gone and removed its outputs', 'removed'],
  ])(
    'leaves the store as the other one left it that %s',
    async (_name, fate) => {
      await using redis = await OwnRedis.start()
      await using harness = await Harness.open({ documents: 3 })
      const flags = { ...journal, 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 1 }
      const env = { SLUICE_DELETE_GONE: 'true' }
      expect((await harness.run(flags, { env })).code).toBe(0)
      await harness.write('0.html', '<p>the second version')
      const paused = harness.start('run', flags, { env, preloads: ['stop-at-commit.ts'] })
      await until('the worker stands still', 60_000, async () => isStopped(paused))
      if (fate === 'changed') await harness.write('0.html', '<p>the third version')
      else await rm(join(harness.source, '0.html'))
      const other = await harness.run(flags, { env })
      expect(other.code, other.stderr).toBe(0)
      paused.child.kill('SIGCONT')
      await paused.finished
      // Nothing is left to do where the pause did no harm; else the next run undoes it.
      expect((await harness.run(flags, { env })).code).toBe(0)
      const { records, folders } = await harness.read()
      expect(records.size).toBe(fate === 'changed' ? 3 : 2)
      for (const [key, at] of folders) {
        expect(await readFile(join(at, 'document.md'), 'utf8')).toBe(textOf(await readFile(join(harness.source, key))))
      }
      expect([...harness.service.charges.values()].filter((times) => times > 1)).toEqual([])
    },
    240_000,
  )
})

async function isStopped({ child }: RunningSluice): Promise<boolean> {
  return /\) T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8'))
}

describe.concurrent('a file that is written to while it is read', () => {
  test('is sent as one of its versions, never as a mixture, and comes out as its last', async () => {
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
    const endAt = performance.now() + 3_000
    const writing = setInterval(() => (performance.now() < endAt ? write() : undefined), 2)
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
