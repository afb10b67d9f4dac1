import { once } from 'node:events'
import { Queue as BullQueue, Worker } from 'bullmq'
import { describe, expect, test } from 'vitest'
import type { Delivery, JobVerdict } from '#src/ports/queue.ts'
import { consume } from '#src/queue/consume.ts'
import type { ConsumeOptions } from '#src/queue/consume-options.ts'
import { DocumentQueue, jobId } from '#src/queue/document-queue.ts'
import { documentJob, documentJobs } from '../support/queue-jobs.ts'
import { serverPid, startTestRedis } from '../support/redis.ts'
import { after, elapse, takes, until } from '../support/wait.ts'
import { shared } from '../support/shared.ts'
import { startProcess } from '../support/child.ts'

const redis = await shared(startTestRedis())

/** A queue and a consumer of a pipeline of its own; whatever goes wrong is in `errors`. */
function setUp(pipeline: string, handle: ConsumeOptions['handle'], options: Partial<ConsumeOptions> = {}) {
  const errors: unknown[] = []
  const queue = new DocumentQueue({ connection: redis.connection, pipeline })
  const consumer = consume({
    connection: redis.connection,
    pipeline,
    concurrency: 10,
    handle,
    giveUp: async () => undefined,
    onError: (error) => errors.push(error),
    ...options,
  })
  const done = async (): Promise<boolean> => (await queue.backlog()) === 0
  const end = async (): Promise<void> => {
    await consumer.stop({ graceMs: 1000 })
    await queue[Symbol.asyncDispose]()
  }
  return { queue, consumer, errors, done, end }
}

const postpone = (afterMs: number, counted: boolean): JobVerdict => ({
  kind: 'postpone',
  afterMs,
  counted,
  reason: 'test',
})

describe('a postponed document', () => {
  test('returns after the delay with the same attempt when it is not counted', async () => {
    const attempts: number[] = []
    const times: number[] = []
    const { queue, done, errors, end } = setUp('uncounted', async ({ attempt }) => {
      attempts.push(attempt)
      times.push(Date.now())
      return attempts.length < 6 ? postpone(150, false) : { kind: 'finish' }
    })
    await queue.add([documentJob(1)])
    await until('it is done', 5000, done)
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1])
    for (const [index, time] of times.entries()) {
      if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(149)
    }
    expect(errors).toEqual([])
    await end()
  })

  test('uses exactly one attempt when it is counted, and returns no earlier than its delay', async () => {
    const delays = [40, 400, 120, 0]
    const attempts: number[] = []
    const times: number[] = []
    const { queue, done, errors, end } = setUp('counted', async ({ attempt }) => {
      attempts.push(attempt)
      times.push(Date.now())
      const delay = delays[attempt - 1]
      return delay === undefined ? { kind: 'finish' } : postpone(delay, true)
    })
    await queue.add([documentJob(1)])
    await until('it is done', 5000, done)
    expect(attempts).toEqual([1, 2, 3, 4, 5])
    for (const [index, delay] of delays.entries()) {
      const waited = (times[index + 1] ?? 0) - (times[index] ?? 0)
      expect(waited).toBeGreaterThanOrEqual(delay - 1)
    }
    expect(errors).toEqual([])
    await end()
  })

  test('is never given up by BullMQ, however often it is postponed', async () => {
    let last = 0
    const { queue, done, end } = setUp('often', async ({ attempt }) => {
      last = attempt
      return attempt < 60 ? postpone(0, true) : { kind: 'finish' }
    })
    await queue.add([documentJob(1)])
    await until('it is done', 10_000, done)
    expect(last).toBe(60)
    await end()
  })
})

describe('a worker that lost the lock of a job', () => {
  test('leaves the data of the new holder unchanged when it postpones the job', async () => {
    const { queue, end } = setUp('lost-lock', async () => {
      // Its lock ran out, and another worker took the job over.
      await redis.connection.set(`{sluice:lost-lock}:documents:${jobId(documentJob(1))}:lock`, 'other')
      return { ...postpone(60_000, true), suspicion: { name: 'refused', gotThrough: true } } as JobVerdict
    })
    const bull = new BullQueue('documents', { connection: redis.connection, prefix: '{sluice:lost-lock}' })
    await queue.add([documentJob(1)])
    await until('it is taken', 5_000, async () => (await bull.getActiveCount()) === 1)
    await elapse(300, 'a wrong write would have been made')
    expect([await bull.getDelayedCount(), (await bull.getActive())[0]?.data]).toEqual([0, documentJob(1)])
    await bull.close()
    await end()
  })
})

describe('a job whose worker died between the two commands of a postponement', () => {
  test('waits for its remaining time, with the counted attempt', async () => {
    const bull = new BullQueue('documents', { connection: redis.connection, prefix: '{sluice:half}' })
    const now = Number((await redis.connection.time())[0]) * 1_000
    const postponed = { untilMs: now + 5_000, forMs: 5_000 }
    // In work no more, and not delayed: its lock ran out, so it waits again.
    await bull.add('ingest', { ...documentJob(1), attempts: 1, postponed }, { jobId: jobId(documentJob(1)) })
    const startedAt = performance.now()
    const attempts: number[] = []
    const { done, end } = setUp('half', async ({ attempt }) => {
      attempts.push(attempt)
      return { kind: 'finish' }
    })
    await until('it is done', 15_000, async () => attempts.length === 1 && (await done()))
    expect(performance.now() - startedAt).toBeGreaterThan(1_900)
    expect(attempts).toEqual([2])
    await bull.close()
    await end()
  })
})

describe('a job that release 0.2.0 left', () => {
  test('runs with the attempts that were counted for it', async () => {
    const bull = new BullQueue('documents', { connection: redis.connection, prefix: '{sluice:former}' })
    const former = { attempts: 1_000_000, backoff: { type: 'postponed' }, stackTraceLimit: 0, removeOnFail: true }
    await bull.add('ingest', documentJob(1), { ...former, removeOnComplete: true, jobId: jobId(documentJob(1)) })
    // A counted postponement was a failure to BullMQ there.
    const worker = new Worker('documents', () => Promise.reject(new Error('once')), {
      connection: redis.connection,
      prefix: '{sluice:former}',
      settings: { backoffStrategy: () => 50 },
    })
    await once(worker, 'failed')
    await worker.close()
    const attempts: number[] = []
    const { queue, done, end } = setUp('former', async ({ attempt }) => {
      attempts.push(attempt)
      return attempts.length === 1 ? postpone(50, true) : { kind: 'finish' }
    })
    await queue.add([documentJob(1)])
    await until('it is done', 5_000, async () => attempts.length === 2 && (await done()))
    expect(attempts).toEqual([2, 3])
    await bull.close()
    await end()
  })
})

describe('a document whose handling throws', () => {
  test('uses its attempts and then fails with the error', async () => {
    const given: [Delivery, unknown][] = []
    const attempts: number[] = []
    const { queue, done, errors, end } = setUp(
      'throws',
      async ({ attempt }) => {
        attempts.push(attempt)
        throw new Error(`attempt ${attempt}`)
      },
      { giveUp: async (delivery, reason) => void given.push([delivery, reason]) },
    )
    await queue.add([documentJob(1)])
    // Its own backoff would take 30 s: what is delayed is brought forward by hand.
    const promoting = setInterval(() => void promoteDelayed('throws'), 50)
    await until('it is given up', 10_000, done)
    clearInterval(promoting)
    expect(attempts).toEqual([1, 2, 3, 4, 5])
    expect(errors.map(String)).toEqual([1, 2, 3, 4, 5].map((attempt) => `Error: attempt ${attempt}`))
    expect(given).toEqual([
      [
        { job: documentJob(1), attempt: 5 },
        { kind: 'threw', error: new Error('attempt 5') },
      ],
    ])
    await end()
  })
})

async function promoteDelayed(pipeline: string): Promise<void> {
  const queue = new BullQueue('documents', { connection: redis.connection, prefix: `{sluice:${pipeline}}` })
  for (const job of await queue.getDelayed()) {
    const { postponed: _, ...data } = job.data as Record<string, unknown>
    await job.updateData(data)
    await job.promote().catch(() => undefined)
  }
  await queue.close()
}

describe('the stop of a queue consumer', () => {
  test('lets running documents finish within the grace period and takes no new ones', async () => {
    let finished = 0
    const { queue, consumer } = setUp('graceful', async () => {
      await takes(300)
      finished += 1
      return { kind: 'finish' }
    })
    await queue.add(documentJobs(100))
    await until('ten are running', 5000, () => consumer.active === 10)
    await consumer.stop({ graceMs: 5000 })
    expect(consumer.active).toBe(0)
    expect((await queue.backlog()) + finished).toBe(100)
    expect(finished).toBeLessThan(30)
    await queue[Symbol.asyncDispose]()
  })

  test('aborts unfinished documents and returns them without an attempt', async () => {
    const aborted: unknown[] = []
    const { queue, consumer, errors } = setUp('cut', async (_delivery, signal) => {
      await takes(60_000, signal).catch((error: unknown) => {
        aborted.push(signal.aborted)
        throw error
      })
      return { kind: 'finish' }
    })
    await queue.add(documentJobs(20))
    await until('ten are running', 5000, () => consumer.active === 10)
    const startedAt = Date.now()
    await consumer.stop({ graceMs: 100 })
    expect(Date.now() - startedAt).toBeLessThan(30_000)
    expect(aborted).toEqual(Array(10).fill(true))
    expect(await queue.waiting()).toBe(20)
    expect(errors).toEqual([])

    const deliveries: Delivery[] = []
    const { done, end } = setUp('cut', async (delivery) => {
      deliveries.push(delivery)
      return { kind: 'finish' }
    })
    await until('all are done at once', 3000, done)
    expect(deliveries.map(({ attempt }) => attempt)).toEqual(Array(20).fill(1))
    await end()
    await queue[Symbol.asyncDispose]()
  })

  test('returns even when Redis does not answer', async () => {
    const { queue, consumer } = setUp('frozen', async () => {
      await takes(100)
      return { kind: 'finish' }
    })
    await queue.add(documentJobs(10))
    await until('ten are running', 5000, () => consumer.active === 10)
    const server = await serverPid(redis.connection)
    process.kill(server, 'SIGSTOP')
    const startedAt = Date.now()
    await consumer.stop({ graceMs: 200 })
    expect(Date.now() - startedAt).toBeLessThan(30_000)
    process.kill(server, 'SIGCONT')
    await until('what was done is reported when Redis is back', 5000, async () => (await queue.backlog()) === 0)
    await queue[Symbol.asyncDispose]()
  })

  test('leaves nothing that keeps the process alive after a loss of Redis', async () => {
    const worker = startProcess('stopping-worker.ts', [redis.url, 'keeps'])
    const ended = once(worker.child, 'exit')
    await worker.line('running')
    await redis.killServer()
    await elapse(100, 'the worker notices that Redis is gone')
    worker.child.stdin.end()
    using _late = after(10_000, () => worker.child.kill('SIGKILL'))
    expect(await ended).toEqual([0, null])
  })

  test('does not wait for work that ignores the abort', async () => {
    const deaf = Promise.withResolvers<void>()
    const { queue, consumer } = setUp('deaf', async () => {
      await deaf.promise
      return { kind: 'finish' }
    })
    await queue.add([documentJob(1)])
    await until('it is running', 5000, () => consumer.active === 1)
    const startedAt = Date.now()
    await consumer.stop({ graceMs: 0 })
    expect(Date.now() - startedAt).toBeLessThan(30_000)
    expect(await queue.waiting()).toBe(1)
    deaf.resolve()
    await queue[Symbol.asyncDispose]()
  })
})

describe('a stuck worker of the queue', () => {
  test('is restarted, and then takes jobs', async () => {
    const options = { connection: redis.connection, prefix: '{sluice:stuck}' }
    let letGo: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    // What keeps ours from taking jobs: only one may run anywhere, and this one has it.
    const greedy = new Worker('documents', () => held, options)
    const limits = new BullQueue('documents', options)
    await limits.setGlobalConcurrency(1)
    await limits.add('held', documentJob(0))
    await until('the other worker has the only slot', 3000, async () => (await limits.getActiveCount()) === 1)
    let handled = 0
    const handle = async (): Promise<JobVerdict> => {
      handled += 1
      return { kind: 'finish' }
    }
    const { queue, errors, end } = setUp('stuck', handle, { timing: { stuckAfterMs: 200 } })
    await queue.add(documentJobs(5))
    await until('the worker restarted', 5000, () => errors.length > 0)
    expect(String(errors[0])).toContain('it is restarted')
    const closed = greedy.close()
    letGo()
    await closed
    await until('its jobs are done', 15_000, () => handled === 5)
    expect(await redis.connection.ping()).toBe('PONG')
    await limits.close()
    await end()
  })
})

describe('a kill of Redis with SIGKILL while documents are in flight', () => {
  test('loses none, and the worker resumes on its own', async () => {
    const done = new Set<string>()
    const { queue, end } = setUp('redis-killed', async ({ job }) => {
      await takes(5)
      done.add(job.key)
      return { kind: 'finish' }
    })
    await queue.add(documentJobs(2000))
    await until('some are done', 5000, () => done.size > 200)
    await redis.killServer()
    await until('all are done', 25_000, async () => done.size === 2000 && (await queue.backlog()) === 0)
    const before = done.size
    await queue.add([documentJob(5000)])
    await until('a new one is done', 3000, () => done.size === before + 1)
    await end()
  })
})
