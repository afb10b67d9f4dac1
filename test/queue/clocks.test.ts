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

/** Delivers one document, whose first delivery is answered so; reports how long the second took to come. */
async function play(pipeline: string, first: JobVerdict): Promise<{ dueInMs: number; tookMs: number }> {
  const queue = new DocumentQueue({ connection: redis.connection, pipeline })
  const times: number[] = []
  const handle = async (): Promise<JobVerdict> => {
    times.push(performance.now())
    return times.length === 1 ? first : { kind: 'finish' }
  }
  const connection = redis.connection
  const consumer = consume({ connection, pipeline, concurrency: 10, handle, giveUp: async () => {}, onError: () => {} })
  try {
    await queue.add([documentJob(1)])
    const delayed = `{sluice:${pipeline}}:documents:delayed`
    let score = 0
    await until('it is delayed', 5_000, async () => {
      score = Number((await connection.zrange(delayed, '0', '0', 'WITHSCORES'))[1] ?? 0)
      return score > 0
    })
    const dueInMs = score / 4_096 - (await redisNow())
    await until('it came again', 15_000, () => times.length === 2)
    return { dueInMs, tookMs: (times[1] ?? 0) - (times[0] ?? 0) }
  } finally {
    await consumer.stop({ graceMs: 1_000 })
    await queue[Symbol.asyncDispose]()
  }
}

describe('a postponed document', () => {
  test.each([
    ['ahead', HOUR_MS, false],
    ['behind', -HOUR_MS, true],
  ])(
    'of a worker whose clock is an hour %s (%i ms, counted: %s) comes again when it is due',
    async (_, ms, counted) => {
      setClock(ms)
      const first = { kind: 'postpone', afterMs: 500, counted, reason: 'test' } as const
      const { dueInMs, tookMs } = await play(`clock-${ms}-${counted}`, first)
      expect(dueInMs).toBeLessThan(HOUR_MS / 10)
      expect(dueInMs).toBeGreaterThan(-HOUR_MS / 10)
      expect(tookMs).toBeGreaterThanOrEqual(490)
      expect(tookMs).toBeLessThan(HOUR_MS / 10)
    },
  )
})

describe('a document that is due in an hour though it was to wait a second', () => {
  test('is released by any worker within seconds, as the clock that timed it was wrong', async () => {
    const pipeline = 'mistimed'
    const bull = new Queue('documents', { connection: redis.connection, prefix: `{sluice:${pipeline}}` })
    setClock(HOUR_MS)
    await bull.add('ingest', documentJob(1), { jobId: 'wrong', delay: 1_000 })
    vi.restoreAllMocks()
    await bull.add('ingest', documentJob(2), { jobId: 'right', delay: HOUR_MS })
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
    await until('it is delivered', 10_000, () => delivered.length > 0)
    await consumer.stop({ graceMs: 1_000 })
    expect(delivered).toEqual([documentJob(1).key])
    expect(await connection.zrange(`{sluice:${pipeline}}:documents:delayed`, '0', '-1')).toEqual(['right'])
  })
})
