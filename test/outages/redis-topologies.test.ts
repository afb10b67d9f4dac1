import { Redis } from 'ioredis'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestCluster } from '../support/redis-cluster.ts'
import { startWatchedRedis } from '../support/redis-sentinel.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { STACK_TRACE, startSluice } from '../support/sluice.ts'
import { elapse } from '../support/wait.ts'

/** Longer than a process takes to notice, so that the master acknowledges what the replica never hears. */
const LAG_MS = 1_200

/** A source of small documents, a service that counts what it charges, and the program in between. */
async function openSetup(documents: number, redisUrl: string) {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const slow = new ScriptedService({ answers: () => ({ ...parsedReply(), delayMs: 200 }) })
  const service = resources.use(await slow.listen())
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (let number = 0; number < documents; number++) {
    await writeFile(join(source, `${number}.html`), `<p>document ${number}`)
  }
  const flags = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key', '--concurrency=4']
  const kept = resources.move()
  return {
    service,
    start: (command: string) =>
      startSluice([command, source, ...flags], {
        env: { REDIS_URL: redisUrl, SLUICE_STATE_DIR: join(folder.path, command) },
      }),
    charged: (count: number) =>
      vi.waitFor(() => expect(service.charged).toBeGreaterThan(count), { timeout: 60_000, interval: 20 }),
    records: async () => (await readStore(out)).records.size,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

test('a run and a worker survive a lossy Sentinel failover, with each document done once and exit code 0', async () => {
  await using redis = await startWatchedRedis()
  await using at = await openSetup(120, redis.url)
  const run = at.start('run')
  const worker = at.start('work')
  await at.charged(10)
  await redis.cutReplica()
  await elapse(LAG_MS, 'the replica misses what is written meanwhile')
  await redis.failOver()
  const { code, stdout, stderr } = await run.finished
  worker.child.kill('SIGTERM')
  await worker.finished
  expect(stdout + stderr).not.toMatch(STACK_TRACE)
  expect(stdout + stderr).not.toContain('s3cret')
  expect(code, stdout + stderr).toBe(0)
  expect(stdout + stderr).toContain('Redis lost data')
  expect(await at.records()).toBe(120)
  expect(at.service.charged).toBe(120)
}, 240_000)

test('a run on a Redis Cluster that loses all data does each document once, and exits with 0', async () => {
  await using cluster = await startTestCluster()
  await using at = await openSetup(60, cluster.url)
  const run = at.start('run')
  await at.charged(8)
  for (const url of cluster.url.split(',')) {
    const node = new Redis(url)
    await node.flushall()
    node.disconnect()
  }
  const { code, stdout, stderr } = await run.finished
  expect(stdout + stderr).not.toMatch(STACK_TRACE)
  expect(code, stdout + stderr).toBe(0)
  expect(stdout + stderr).toContain('Redis lost data')
  expect(await at.records()).toBe(60)
  expect(at.service.charged).toBe(60)
}, 240_000)
