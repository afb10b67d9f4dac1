import { expect, test } from 'vitest'
import type { JobVerdict } from '#src/ports/queue.ts'
import { consume } from '#src/queue/consume.ts'
import type { ConsumeOptions } from '#src/queue/consume-options.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { documentJobs } from '../support/queue-jobs.ts'
import { startTestRedis } from '../support/redis.ts'
import { elapse, takes, until } from '../support/wait.ts'

const BACK: JobVerdict = { kind: 'postpone', afterMs: 100, counted: false, reason: 'no permit from the gate' }

/** A queue of `documents` jobs that a worker with twenty slots takes from; an error is one of the test. */
async function takeTwenty(documents: number, handle: ConsumeOptions['handle']) {
  const redis = await startTestRedis()
  const options = { connection: redis.connection, pipeline: 'intake' }
  const queue = new DocumentQueue(options)
  const onError = (error: unknown): never => {
    throw error
  }
  const consumer = consume({ ...options, concurrency: 20, handle, giveUp: async () => undefined, onError })
  await queue.add(documentJobs(documents))
  return {
    queue,
    [Symbol.asyncDispose]: async () => {
      await consumer.stop({ graceMs: 2_000 })
      await queue[Symbol.asyncDispose]()
      await redis[Symbol.asyncDispose]()
    },
  }
}

test('intake starts at most three documents per completion at a slow gate, and twenty at a time when it opens', async () => {
  let [starts, through, atOnce, most, open] = [0, 0, 0, 0, false]
  let permits = 0
  const oneMore = setInterval(() => (permits = 1), 50)
  await using line = await takeTwenty(400, async () => {
    starts += 1
    atOnce += 1
    if (open) most = Math.max(most, atOnce)
    await takes(100)
    atOnce -= 1
    if (permits === 0 && !open) return BACK
    permits = 0
    through += 1
    return { kind: 'finish' }
  })
  await until('a hundred went through one by one', 30_000, async () => through >= 100)
  const startsOfHundred = starts
  open = true
  await until('all went through', 15_000, async () => (await line.queue.backlog()) === 0)
  clearInterval(oneMore)
  expect(through).toBe(400)
  expect(most).toBe(20)
  // At most two are postponed for each that completes, plus the twenty that were started before the first verdict.
  expect(startsOfHundred).toBeLessThan(100 + 2 * 100 + 2 * 20)
})

test('intake starts two documents a second instead of the entire queue while the gate admits none', async () => {
  let starts = 0
  await using _line = await takeTwenty(300, async () => {
    starts += 1
    return BACK
  })
  await until('it has begun', 5_000, async () => starts > 10)
  await elapse(2_000, 'two documents a second may start')
  expect(starts).toBeGreaterThan(19)
  expect(starts).toBeLessThan(20 + 2 * 4 + 4)
})
