import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JobVerdict } from '#src/ports.ts'
import { consume } from '#src/queue/consume.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { documentJobs } from '../support/queue-jobs.ts'
import { startTestRedis, until } from '../support/redis.ts'

const BACK: JobVerdict = { do: 'postpone', afterMs: 100, counted: false, reason: 'no place at the gate' }

test('documents that the gate lets through one by one are not all begun over and over, and all are begun when it opens', async () => {
  await using redis = await startTestRedis()
  const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'intake' })
  let [starts, through, atOnce, most, open] = [0, 0, 0, 0, false]
  let places = 0
  const oneMore = setInterval(() => (places = 1), 50)
  const consumer = consume({
    connection: redis.connection,
    pipeline: 'intake',
    concurrency: 20,
    handle: async () => {
      starts += 1
      atOnce += 1
      if (open) most = Math.max(most, atOnce)
      await sleep(open ? 20 : 100)
      atOnce -= 1
      if (places === 0 && !open) return BACK
      places = 0
      through += 1
      return { do: 'finish' }
    },
    giveUp: async () => undefined,
    onError: (error) => {
      throw error
    },
  })
  await queue.add(documentJobs(400))
  await until('a hundred went through one by one', 30_000, async () => through >= 100)
  const startsOfHundred = starts
  open = true
  await until('all went through', 15_000, async () => (await queue.backlog()) === 0)
  clearInterval(oneMore)
  await consumer.stop({ graceMs: 1000 })
  await queue.close()
  expect(through).toBe(400)
  expect(most).toBe(20)
  // At most two come back for one that gets through, and the twenty that were begun before anything was known.
  expect(startsOfHundred).toBeLessThan(100 + 2 * 100 + 2 * 20)
})

test('while nobody gets through, two documents a second are begun, and not the whole queue', async () => {
  await using redis = await startTestRedis()
  const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'shut' })
  let starts = 0
  const consumer = consume({
    connection: redis.connection,
    pipeline: 'shut',
    concurrency: 20,
    handle: async () => {
      starts += 1
      return BACK
    },
    giveUp: async () => undefined,
    onError: (error) => {
      throw error
    },
  })
  await queue.add(documentJobs(300))
  await until('it has begun', 5_000, async () => starts > 10)
  await sleep(2_000)
  await consumer.stop({ graceMs: 2_000 })
  await queue.close()
  expect(starts).toBeGreaterThan(19)
  expect(starts).toBeLessThan(20 + 2 * 4 + 4)
})
