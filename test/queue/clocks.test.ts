import { Queue } from 'bullmq'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { consume } from '#src/queue/consume.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import type { Delivery, JobVerdict } from '#src/ports/queue.ts'
import { documentJob } from '../support/queue-jobs.ts'
import { startTestRedis } from '../support/redis.ts'
import { until } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

/* Machines whose clocks are wrong take jobs from one queue: when a delayed job is due is judged by the clock of Redis. */

const HOUR_MS = 3_600_000

const redis = await shared(startTestRedis())
afterEach(() => void vi.restoreAllMocks())

/** From now on this machine's wall clock shows so much more. */
function setClock(offsetMs: number): void {
  const now = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + offsetMs)
}

const redisNow = async (): Promise<number> => Number((await redis.connection.time())[0]) * 1_000

const verdict = (afterMs: number, counted: boolean): JobVerdict => ({
  kind: 'postpone',
  afterMs,
  counted,
  reason: 'test',
})

/** Delivers one document; `first` answers its first delivery. The clock is right again when it is delayed, unless it `stays`. */
async function play(
  pipeline: string,
  first: () => JobVerdict,
  stays: boolean,
): Promise<{ dueInMs: number; tookMs: number; attempt: number }> {
  const queue = new DocumentQueue({ connection: redis.connection, pipeline })
  const bull = new Queue('documents', { connection: redis.connection, prefix: `{sluice:${pipeline}}` })
  const deliveries: { at: number; attempt: number }[] = []
  const handle = async ({ attempt }: Delivery): Promise<JobVerdict> => {
    deliveries.push({ at: performance.now(), attempt })
    return deliveries.length === 1 ? first() : { kind: 'finish' }
  }
  const connection = redis.connection
  const consumer = consume({ connection, pipeline, concurrency: 10, handle, giveUp: async () => {}, onError: () => {} })
  try {
    await queue.add([documentJob(1)])
    await until('it is delayed', 5_000, async () => (await bull.getDelayedCount()) === 1)
    if (!stays) vi.restoreAllMocks()
    const [job] = await bull.getDelayed()
    const dueInMs = Number(job?.data.postponed.untilMs) - (await redisNow())
    await until('it came again', 15_000, () => deliveries.length === 2)
    const [before, after] = deliveries
    return { dueInMs, tookMs: (after?.at ?? 0) - (before?.at ?? 0), attempt: after?.attempt ?? 0 }
  } finally {
    await consumer.stop({ graceMs: 1_000 })
    await queue[Symbol.asyncDispose]()
    await bull.close()
  }
}

describe('a postponed document', () => {
  test.each([
    ['ahead', HOUR_MS, false],
    ['behind', -HOUR_MS, true],
  ])('of a worker whose clock is an hour %s (%i ms, counted: %s) returns when it is due', async (_, ms, counted) => {
    setClock(ms)
    const { dueInMs, tookMs } = await play(`clock-${ms}-${counted}`, () => verdict(500, counted), true)
    expect(dueInMs).toBeLessThan(HOUR_MS / 10)
    expect(dueInMs).toBeGreaterThan(-HOUR_MS / 10)
    expect(tookMs).toBeGreaterThanOrEqual(490)
    expect(tookMs).toBeLessThan(HOUR_MS / 10)
  })

  test.each([
    ['ahead', HOUR_MS, false],
    ['behind', -HOUR_MS, true],
  ])(
    'timed by a worker whose clock was an hour %s (%i ms, counted: %s) returns within seconds, but not at once',
    async (_, ms, counted) => {
      const first = (): JobVerdict => {
        setClock(ms)
        return verdict(4_000, counted)
      }
      const { tookMs, attempt } = await play(`timed-${ms}-${counted}`, first, false)
      expect(tookMs).toBeGreaterThanOrEqual(1_900)
      expect(tookMs).toBeLessThan(HOUR_MS / 10)
      expect(attempt).toBe(counted ? 2 : 1)
    },
  )
})

describe('a document due in an hour instead of a second', () => {
  test('is released by any worker within seconds, as the clock that timed it was wrong', async () => {
    const pipeline = 'mistimed'
    const bull = new Queue('documents', { connection: redis.connection, prefix: `{sluice:${pipeline}}` })
    const now = await redisNow()
    const postponed = (forMs: number, laterMs = 0) => ({ untilMs: now + forMs + laterMs, forMs })
    const add = (number: number, jobId: string, more: object) =>
      bull.add('ingest', { ...documentJob(number), ...more }, { jobId, delay: HOUR_MS })
    await add(1, 'of-bullmq', { postponed: postponed(1_000) })
    await add(2, 'of-redis', { postponed: postponed(1_000, HOUR_MS) })
    await add(3, 'right', { postponed: postponed(HOUR_MS) })
    await add(4, 'former', {})
    await bull.close()
    const delivered: string[] = []
    const handle = async ({ job }: Delivery): Promise<JobVerdict> => {
      delivered.push(job.key)
      return { kind: 'finish' }
    }
    const connection = redis.connection
    const consumer = consume({
      connection,
      pipeline,
      concurrency: 10,
      handle,
      giveUp: async () => {},
      onError: () => {},
    })
    await until('both are delivered', 10_000, () => delivered.length > 1)
    await consumer.stop({ graceMs: 1_000 })
    expect(delivered.toSorted()).toEqual([documentJob(1).key, documentJob(2).key])
    expect(await connection.zrange(`{sluice:${pipeline}}:documents:delayed`, '0', '-1')).toEqual(['right', 'former'])
  })
})
