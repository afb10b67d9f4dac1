import { readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { leaseJson, type LeaseProcess, parseLease, type QueueLease } from '#src/document/queue-lease.ts'
import { FolderLease } from '#src/outputs/folder/folder-lease.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { LeaseStorage } from '#src/ports/lease-storage.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { type QueueLeaseOptions, takeQueueLease } from '#workers/pipeline/queue-lease.ts'
import { Harness } from '../outages/support/harness.ts'
import { OwnRedis } from '../outages/support/own-redis.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/wait.ts'

const BEAT_MS = 200
const never = new AbortController().signal
const AT_HOME: QueueLease['join'] = { kind: 'private', stateDir: '/somewhere' }
const FAR: LeaseProcess = { id: 'x', host: 'far', pidSpace: 'other boot', pid: 1, start: '1', at: 0 }

describe.concurrent('with two runs on one store,', () => {
  test('the second is refused with advice on joining, buys nothing, and runs after the first', async () => {
    await using harness = await Harness.open({ documents: 6 })
    const first = harness.start('watch', { 'state-dir': `${harness.source}-a`, 'stable-ms': 50 })
    await harness.requested(2, first)
    const refused = await harness.run({ 'state-dir': `${harness.source}-b` })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`(process ${first.child.pid} on ${hostname()})`)
    expect(refused.stderr).toMatch(/add --state-dir \S+-a; workers on several hosts need a common --redis-url/)
    expect(refused.stderr).toMatch(/its lease expires in \d+ s/)
    first.child.kill('SIGTERM')
    expect((await first.finished).code).toBe(0)
    expect((await harness.run({ 'state-dir': `${harness.source}-b` })).code).toBe(0)
    await harness.expectAllPaidOnce(6)
  }, 240_000)

  test('the second starts at once when the first was killed on this machine', async () => {
    await using harness = await Harness.open({
      documents: 6,
      reply: ({ number }) => (number > 3 ? { delayMs: 500 } : {}),
    })
    const first = harness.start('run', { concurrency: 1, 'state-dir': `${harness.source}-a` })
    await harness.requested(4, first)
    first.child.kill('SIGKILL')
    await first.finished
    const second = await harness.run({ 'state-dir': `${harness.source}-b` })
    expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining('another queue')])
    expect((await harness.read()).records.size).toBe(6)
  }, 240_000)

  test('a watch and a worker share the lease, and the remaining watch keeps it', async () => {
    await using redis = await OwnRedis.start()
    await using other = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 8 })
    const flags = { 'redis-url': redis.url }
    const watch = harness.start('watch', { ...flags, 'stable-ms': 50 })
    await harness.requested(1, watch)
    const worker = harness.start('work', flags)
    await until('it works', 60_000, () => worker.stderr().includes('press Ctrl-C to stop'))
    worker.child.kill('SIGTERM')
    await worker.finished
    const refused = await harness.run({ 'redis-url': other.url })
    expect(refused.stderr).toContain(`add --redis-url ${redis.url}`)
    await until('all are done', 60_000, async () => (await harness.read()).records.size === 8)
    watch.child.kill('SIGTERM')
    expect((await watch.finished).code).toBe(0)
    await harness.expectAllPaidOnce(8)
  }, 240_000)

  test('a run that finds its store taken by another queue buys nothing more, and halts', async () => {
    await using harness = await Harness.open({ documents: 60, reply: () => ({ delayMs: 1_000 }) })
    const running = harness.start('run', { concurrency: 1 })
    await harness.requested(1, running)
    const storage = new FolderLease(harness.out)
    const text = leaseJson({ queue: 'other', join: AT_HOME, processes: [{ ...FAR, at: Date.now() }] })
    await until('it is taken', 5_000, async () => storage.write(text, (await storage.read())?.version ?? null))
    const { code, stdout } = await running.finished
    expect([code, stdout]).toEqual([3, expect.stringContaining('halted: another queue took over the store file://')])
    expect(harness.service.requests.length).toBeLessThan(30)
    expect(parseLease((await storage.read())?.text ?? '')?.queue).toBe('other')
  }, 240_000)
})

describe('the lease of a store', () => {
  let redis: OwnRedis
  beforeAll(async () => void (redis = await OwnRedis.start()))
  afterAll(() => redis[Symbol.asyncDispose]())

  test('of a process on another machine is taken over when not renewed, but not for clock skew', async () => {
    await using at = await scene()
    const lease: QueueLease = { queue: 'other', join: { kind: 'redis', url: 'redis://far:6379' }, processes: [FAR] }
    for (const hours of [-2, 2]) {
      const renewing = renewEach(BEAT_MS, at.storage, () => ({
        ...lease,
        processes: [{ ...FAR, at: Date.now() + hours * 3_600_000 }],
      }))
      try {
        await until('it is held', 5_000, async () => (await at.storage.read()) !== null)
        await expect(takeQueueLease(at.options(), never)).rejects.toThrow(
          /process 1 on far.*add --redis-url redis:\/\/far/,
        )
      } finally {
        await renewing.stop()
      }
    }
    await using _taken = await takeQueueLease(at.options(), never)
    expect(parseLease((await at.storage.read())?.text ?? '')?.processes.map(({ host }) => host)).toEqual([hostname()])
  })

  test('is joined by a process that starts after Redis lost the id of the queue, and stays one file', async () => {
    await using at = await scene()
    const first = await takeQueueLease(at.options(), never)
    await at.options().connection.flushall()
    const joining = takeQueueLease(at.options(), never)
    await first.declare()
    const second = await joining
    expect(parseLease((await at.storage.read())?.text ?? '')?.processes).toHaveLength(2)
    await first[Symbol.asyncDispose]()
    await second[Symbol.asyncDispose]()
    expect(parseLease((await at.storage.read())?.text ?? '')?.processes).toEqual([])
    const files = await readdir(join(at.folder, '.sluice'))
    expect(files.filter((name) => name.startsWith('queue-'))).toHaveLength(1)
  })

  async function scene(): Promise<Scene> {
    await using resources = new AsyncDisposableStack()
    const folder = resources.use(await tempFolder())
    const store = resources.use(await openFolderStore({ path: folder.path }))
    const connection = await connectRedis({ url: redis.url })
    resources.defer(() => connection.disconnect())
    await connection.flushall()
    const storage = new FolderLease(folder.path, BEAT_MS)
    const kept = { url: store.url, lease: storage, manifest: store.manifest }
    const options = (): QueueLeaseOptions => ({ store: kept, connection, join: AT_HOME, onLost: () => undefined })
    const all = resources.move()
    return { folder: folder.path, storage, options, [Symbol.asyncDispose]: () => all.disposeAsync() }
  }
})

interface Scene extends AsyncDisposable {
  readonly folder: string
  readonly storage: LeaseStorage
  readonly options: () => QueueLeaseOptions
}

function renewEach(ms: number, storage: LeaseStorage, lease: () => QueueLease): { stop: () => Promise<void> } {
  let writing: Promise<unknown> = Promise.resolve()
  const write = async (): Promise<unknown> => storage.write(leaseJson(lease()), (await storage.read())?.version ?? null)
  const timer = setInterval(() => void (writing = writing.then(write)), ms)
  return {
    stop: async () => {
      clearInterval(timer)
      await writing
    },
  }
}
