/**
 * The taking side, in a process of its own. argv: Redis url, `jobs` or `bulk`. It is a real worker (`consume`, 50 at a
 * time) whose work on a document is nothing. With `bulk` it stops after the first job, and from then on whatever waits
 * is removed a hundred times a second with BullMQ's `drain`. Says when the first job came, as epoch milliseconds.
 */
import { Queue } from 'bullmq'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisPrefix } from '#src/document/pipeline.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { consume } from '#src/queue/consume.ts'
import { QUEUE_NAME } from '#src/queue/queue-layout.ts'
import { PIPELINE } from './pipeline.ts'

const [url = '', how = 'bulk'] = process.argv.slice(2)
const connection = await connectRedis({ url })
const first = Promise.withResolvers<number>()
const consumer = consume({
  connection,
  pipeline: PIPELINE,
  concurrency: 50,
  async handle() {
    first.resolve(Date.now())
    return { kind: 'finish' }
  },
  giveUp: () => Promise.reject(new Error('nothing is given up here')),
  onError: (error) => console.error(error),
})
process.stdout.write('{"ready":true}\n')
process.stdout.write(`${JSON.stringify({ first_at: await first.promise })}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
if (how === 'bulk') {
  await consumer.stop({ graceMs: 1_000 })
  const queue = new Queue(QUEUE_NAME, { connection, prefix: redisPrefix(PIPELINE) })
  for (;;) {
    await queue.drain()
    await sleep(10)
  }
}
