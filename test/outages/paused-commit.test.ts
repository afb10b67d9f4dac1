import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isStopped } from '../support/process-tree.ts'
import { until } from '../support/wait.ts'
import { Harness, textOf } from './support/harness.ts'
import { OwnRedis } from './support/own-redis.ts'

describe.concurrent('a worker paused during its commit', () => {
  test.each([
    ['committed a later version', 'changed'],
    ['found it gone and removed its outputs', 'removed'],
  ])(
    'leaves the store as written by the worker that %s',
    async (_name, fate) => {
      await using redis = await OwnRedis.start()
      await using harness = await Harness.open({ documents: 3 })
      const flags = { 'redis-url': redis.url, 'takeover-ms': 1_000, concurrency: 1 }
      const env = { SLUICE_DELETE_GONE: 'true' }
      expect((await harness.run(flags, { env })).code).toBe(0)
      await harness.write('0.html', '<p>the second version')
      const paused = harness.start('run', flags, {
        env: { ...env, FAULT_STOP_AT_COMMIT: '1' },
        preloads: ['../../campaign/preloads/stop-at.ts'],
      })
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
