import { expect, test } from 'vitest'
import { NO_COUNTS } from '#src/document/outcome.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisClaims } from '#src/ledger/redis-claims.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { consume } from '#src/queue/consume.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { documentJobs } from '../support/queue-jobs.ts'
import { startTestCluster } from '../support/redis-cluster.ts'
import { until } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

const cluster = await shared(startTestCluster())

test.each(['alpha', 'beta'])('a Redis Cluster holds queue, ledger and claims of pipeline %s', async (pipeline) => {
  const connection = await connectRedis({ url: cluster.url })
  const queue = new DocumentQueue({ connection, pipeline })
  const ledger = new RedisLedger({ connection, pipeline })
  const lease = await ProcessLease.open({ connection, pipeline })
  const claims = new RedisClaims({ connection, pipeline, lease, raiseEpoch: async () => 1 })
  const jobs = documentJobs(300)
  await ledger.write(jobs.map(({ key, version, recipeHash }) => [key, { version, recipeHash, outcome: 'pending' }]))
  await queue.add(jobs)
  const errors: unknown[] = []
  const consumer = consume({
    connection,
    pipeline,
    concurrency: 10,
    handle: async ({ job }) => {
      const claim = await claims.claim(job.key)
      await ledger.settle(job.key, { version: job.version, recipeHash: job.recipeHash, outcome: 'done' })
      await claim?.release()
      return { kind: 'finish' }
    },
    giveUp: async () => undefined,
    onError: (error) => errors.push(error),
  })
  await until('all are done', 15_000, async () => (await queue.backlog()) === 0)
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 300 })
  expect(await ledger.read(jobs.slice(0, 5).map(({ key }) => key))).toHaveLength(5)
  expect(errors).toEqual([])
  await consumer.stop({ graceMs: 1000 })
  await lease[Symbol.asyncDispose]()
  await queue[Symbol.asyncDispose]()
  connection.disconnect()
})
