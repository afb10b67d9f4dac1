/**
 * Consumes the queue of a pipeline; each document takes some milliseconds and is claimed meanwhile.
 * Prints `begin <attempt> <key>`, `busy <key>` and `end <key>`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisClaims } from '#src/ledger/redis-claims.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { consume } from '#src/queue/consume.ts'

const [url = '', pipeline = '', concurrency = '5', workMs = '50'] = process.argv.slice(2)
const connection = await connectRedis({ url })
const lease = await ProcessLease.open({ connection, pipeline })
const claims = new RedisClaims({ connection, pipeline, lease, raiseEpoch: async () => 1 })
const consumer = consume({
  connection,
  pipeline,
  concurrency: Number(concurrency),
  handle: async ({ job, attempt }, signal) => {
    const claim = await claims.claim(job.key)
    if (claim === null) {
      console.log(`busy ${job.key}`)
      return { kind: 'postpone', afterMs: 200, counted: false, reason: 'busy' }
    }
    console.log(`begin ${attempt} ${job.key}`)
    await sleep(Number(workMs), undefined, { signal })
    console.log(`end ${job.key}`)
    await claim.release()
    return { kind: 'finish' }
  },
  giveUp: async ({ job }) => console.log(`given up ${job.key}`),
  onError: (error) => console.error(error),
})
process.once('SIGTERM', async () => {
  await consumer.stop({ graceMs: 1000 })
  await lease[Symbol.asyncDispose]()
  connection.disconnect()
})
console.log('ready')
