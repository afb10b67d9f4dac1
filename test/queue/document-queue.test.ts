import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import { consume } from '#src/queue/consume.ts'
import { DocumentQueue, jobId } from '#src/queue/document-queue.ts'
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

  test('is never a number or a text with a colon, which BullMQ refuses', () => {
    for (const job of documentJobs(1000)) expect(jobId(job)).toMatch(/^d[\w-]{20}$/)
  })
})

describe('DocumentQueue', () => {
  test('leaves a waiting job unchanged when it is added again', async () => {
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

  test('accepts the same document again once its job is done', async () => {
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

  test('delivers nothing while it is paused, and continues when resumed', async () => {
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

  test('loses no batch when the server is killed during an add', async () => {
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
