import { Queue } from 'bullmq'
import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import { consume } from '#src/queue/consume.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { EVENT_STREAM_LENGTH, JOB_NAME, JOB_OPTIONS, jobId, QUEUE_NAME } from '#src/queue/queue-layout.ts'
import { documentJob, documentJobs } from '../support/queue-jobs.ts'
import { startTestRedis } from '../support/redis.ts'
import { elapse, until } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

const redis = await shared(startTestRedis())

describe('jobId', () => {
  test('is the same for the same document, version and recipe, and for nothing else', () => {
    const ids = [documentJob(1), documentJob(1, { queuedAt: 5 }), documentJob(2)].map(jobId)
    expect(ids[0]).toBe(ids[1])
    expect(ids[0]).not.toBe(ids[2])
    expect(jobId(documentJob(1, { key: sourceKey('a"b') }))).not.toBe(jobId(documentJob(1, { key: sourceKey('a') })))
  })

  test('never is what BullMQ refuses: a number, or text with a colon', () => {
    for (const job of documentJobs(1000)) expect(jobId(job)).toMatch(/^d[\w-]{20}$/)
  })
})

describe('addJobs', () => {
  test('leaves in Redis what BullMQ leaves, but for its events and its counter of jobs', async () => {
    const jobs = documentJobs(3)
    const ours = new DocumentQueue({ connection: redis.connection, pipeline: 'by-us' })
    const theirs = new Queue(QUEUE_NAME, {
      connection: redis.connection,
      prefix: redisPrefix('by-bullmq'),
      streams: { events: { maxLen: EVENT_STREAM_LENGTH } },
    })
    const pausing = async (): Promise<void> => {
      await ours.pause()
      await theirs.pause()
    }
    const bulk = jobs.map((data) => ({ name: JOB_NAME, data, opts: { ...JOB_OPTIONS, jobId: jobId(data) } }))
    for (const before of [async () => undefined, pausing]) {
      await before()
      await ours.add(jobs.slice(0, 2))
      await ours.add(jobs)
      await theirs.addBulk(bulk.slice(0, 2))
      await theirs.addBulk(bulk)
      const left = await leftIn('by-us')
      expect(left).toEqual(await leftIn('by-bullmq'))
      expect(left.size).toBe(before === pausing ? 5 : 6)
    }
    await Promise.all([ours[Symbol.asyncDispose](), theirs.close()])
  })
})

describe('DocumentQueue', () => {
  test('leaves a job that waits as it is when it is added again', async () => {
    const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'twice' })
    await queue.add(documentJobs(2500))
    await queue.add(documentJobs(2500).map((job) => ({ ...job, queuedAt: job.queuedAt + 1 })))
    expect(await queue.backlog()).toBe(2500)
    await queue[Symbol.asyncDispose]()
  })

  test('keeps every key of a pipeline in one slot of a cluster, and pipelines apart', async () => {
    const one = new DocumentQueue({ connection: redis.connection, pipeline: 'slotted' })
    await one.add(documentJobs(3))
    const keys = await redis.connection.keys('*slotted*')
    expect(keys.length).toBeGreaterThan(3)
    expect(keys.filter((key) => !key.startsWith('{sluice:slotted}:'))).toEqual([])
    const other = new DocumentQueue({ connection: redis.connection, pipeline: 'other' })
    expect(await other.backlog()).toBe(0)
    expect(() => new DocumentQueue({ connection: redis.connection, pipeline: 'a}b' })).toThrow(/name/)
    await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()])
  })

  test('takes the same document again once its job is done', async () => {
    const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'again' })
    const seen: DocumentJob[] = []
    const consumer = consume({
      connection: redis.connection,
      pipeline: 'again',
      concurrency: 5,
      handle: async ({ job }) => {
        seen.push(job)
        return { kind: 'finish' }
      },
      giveUp: async () => undefined,
      onError: (error) => expect(error).toBeNull(),
    })
    await queue.add([documentJob(1)])
    await until('the first one is done', 5000, async () => (await queue.backlog()) === 0 && seen.length === 1)
    await queue.add([documentJob(1)])
    await until('the second one is done', 5000, async () => (await queue.backlog()) === 0 && seen.length === 2)
    expect(seen).toEqual([documentJob(1), documentJob(1)])
    await consumer.stop({ graceMs: 1000 })
    await queue[Symbol.asyncDispose]()
  })

  test('hands out nothing while it is paused, and goes on when resumed', async () => {
    const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'paused' })
    await queue.pause()
    expect(await queue.paused()).toBe(true)
    let handled = 0
    const consumer = consume({
      connection: redis.connection,
      pipeline: 'paused',
      concurrency: 5,
      handle: async () => {
        handled += 1
        return { kind: 'finish' }
      },
      giveUp: async () => undefined,
      onError: (error) => expect(error).toBeNull(),
    })
    await queue.add(documentJobs(10))
    await elapse(300, 'a paused queue must deliver nothing')
    expect([handled, await queue.backlog()]).toEqual([0, 10])
    await queue.resume()
    await until('all are handled', 5000, () => handled === 10)
    await consumer.stop({ graceMs: 1000 })
    await queue[Symbol.asyncDispose]()
  })

  test('loses no batch when the server is killed while adding', async () => {
    const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'killed' })
    const jobs = documentJobs(10_000)
    const adding = queue.add(jobs)
    await elapse(100, 'some of 10,000 jobs are added')
    await redis.killServer()
    await adding
    expect(await queue.backlog()).toBe(10_000)
    await queue[Symbol.asyncDispose]()
  })
})

/** Every key of a pipeline's queue with what it holds: times, and the id in a job's own options, left out. */
async function leftIn(pipeline: string): Promise<ReadonlyMap<string, unknown>> {
  const prefix = `${redisPrefix(pipeline)}:${QUEUE_NAME}:`
  const { connection } = redis
  const left = new Map<string, unknown>()
  for (const key of await connection.keys(`${prefix}*`)) {
    const name = key.slice(prefix.length)
    if (name === 'events' || name === 'id') continue
    const type = await connection.type(key)
    if (type === 'list') left.set(name, await connection.lrange(key, 0, -1))
    else if (type === 'zset') left.set(name, await connection.zrange(key, '0', '-1', 'WITHSCORES'))
    else left.set(name, hashOf(await connection.hgetall(key)))
  }
  return left
}

function hashOf({ timestamp = '0', opts, ...fields }: Readonly<Record<string, string>>): unknown {
  const { jobId: _, ...options } = JSON.parse(opts ?? '{}') as Record<string, unknown>
  return { ...fields, options, recent: Date.now() - Number(timestamp) < 60_000 || timestamp === '0' }
}
