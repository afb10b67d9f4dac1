import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startWatchedRedis } from '../support/redis-sentinel.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { STACK_TRACE, startSluice } from '../support/sluice.ts'

const DOCUMENTS = 120
/** Longer than a process takes to notice, so that the master acknowledges what the replica never hears. */
const LAG_MS = 1_200

test('a run and a worker go on through a failover of Sentinel that loses writes: each document once, exit 0', async () => {
  await using folder = await temporaryFolder()
  await using redis = await startWatchedRedis()
  await using service = await new ScriptedService({ answers: () => ({ ...parsedReply(), delayMs: 200 }) }).listen()
  const source = join(folder.path, 'in')
  await mkdir(source)
  for (let number = 0; number < DOCUMENTS; number++) {
    await writeFile(join(source, `${number}.html`), `<p>document ${number}`)
  }
  const out = join(folder.path, 'out')
  const start = (command: string) =>
    startSluice(
      [command, source, '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key', '--concurrency=4'],
      { env: { REDIS_URL: redis.url, SLUICE_STATE_DIR: join(folder.path, command) } },
    )
  const run = start('run')
  const worker = start('work')
  await vi.waitFor(() => expect(service.charged).toBeGreaterThan(10), { timeout: 60_000, interval: 20 })
  await redis.cutReplica()
  await sleep(LAG_MS)
  await redis.failOver()
  const { code, stdout, stderr } = await run.finished
  worker.child.kill('SIGTERM')
  await worker.finished
  expect(stdout + stderr).not.toMatch(STACK_TRACE)
  expect(stdout + stderr).not.toContain('s3cret')
  expect(code, stdout + stderr).toBe(0)
  expect(stdout + stderr).toContain('Redis lost data')
  expect((await readStore(out)).records.size).toBe(DOCUMENTS)
  expect(service.charged).toBe(DOCUMENTS)
}, 180_000)
