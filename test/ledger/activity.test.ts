import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentHash, receiptId, recipeHash, sourceKey } from '#src/document/ids.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisActivity } from '#src/ledger/redis-activity.ts'
import { RedisClaims } from '#src/ledger/redis-claims.ts'
import { RedisIntents } from '#src/ledger/redis-intents.ts'
import { RedisSpending } from '#src/ledger/redis-spending.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

test('the activity names each live process with its documents, request durations and the cap', async () => {
  const { connection } = redis
  const pipeline = 'activity'
  const activity = new RedisActivity({ connection, pipeline })
  expect(await activity.read()).toEqual({ processes: [], cap: null })
  const [busy, idle] = [
    await ProcessLease.open({ connection, pipeline }),
    await ProcessLease.open({ connection, pipeline }),
  ]
  const claims = new RedisClaims({ connection, pipeline, lease: busy, raiseEpoch: async () => 1 })
  const intents = new RedisIntents({ connection, pipeline, lease: busy, now: () => Date.now() - 5_000 })
  const [sent, waits] = ['a b\nc: d.pdf', 'waits.pdf'].map(sourceKey) as [
    ReturnType<typeof sourceKey>,
    ReturnType<typeof sourceKey>,
  ]
  await claims.claim(waits)
  await claims.claim(sent)
  await intents.begin(receiptId(contentHash('ab'.repeat(32)), recipeHash('0123456789abcdef')), sent)
  await new RedisSpending({ connection, pipeline, lease: busy }).setCap(busy.id, 100)
  const { processes, cap } = await activity.read()
  expect(cap).toEqual({ limit: 100, spent: 0 })
  expect(new Map(processes.map(({ process, held }) => [process, held]))).toEqual(
    new Map([
      [busy.id, 2],
      [idle.id, 0],
    ]),
  )
  const documents = processes.find(({ process }) => process === busy.id)?.documents ?? []
  expect(documents.map(({ key }) => key)).toEqual([sent, waits])
  expect(documents[0]?.requestMs).toBeGreaterThanOrEqual(5_000)
  expect(documents[1]?.requestMs).toBeNull()
  await idle[Symbol.asyncDispose]()
  expect((await activity.read()).processes.map(({ process }) => process)).toEqual([busy.id])
  await busy[Symbol.asyncDispose]()
})
