import { mkdir, readdir } from 'node:fs/promises'
import { Queue, QueueEvents, Worker } from 'bullmq'
import { connectRedis } from '#src/redis/connection.ts'
import { postDocument } from '../support/post-document.ts'

/*
 * node bench/limit/bullmq-client.ts <url> <folder in> <folder out> <requests at once> <redis>
 *
 * Plain BullMQ as its documentation shows it: one worker with a concurrency, five attempts, exponential backoff.
 */

const [apiUrl = '', source = '', out = '', atOnce = '', redisUrl = ''] = process.argv.slice(2)
const name = `plain-${process.pid}`
const connection = await connectRedis({ url: redisUrl })
const queue = new Queue<{ file: string }>(name, { connection })
const events = new QueueEvents(name, { connection: await connectRedis({ url: redisUrl }) })
await mkdir(out, { recursive: true })

async function parse(file: string): Promise<void> {
  const { status } = await postDocument(apiUrl, source, file, out)
  if (status !== 200) throw new Error(`the service answered ${status}`)
}

const files = await readdir(source)
let ended = 0
let lost = 0
const allEnded = Promise.withResolvers<void>()
const count = (): void => {
  ended += 1
  if (ended === files.length) allEnded.resolve()
}
events.on('completed', count)
events.on('failed', () => {
  lost += 1
  count()
})
await events.waitUntilReady()
await queue.addBulk(
  files.map((file) => ({
    name: 'parse',
    data: { file },
    opts: { attempts: 5, backoff: { type: 'exponential', delay: 1_000 }, removeOnComplete: true, removeOnFail: true },
  })),
)
const worker = new Worker<{ file: string }>(name, (job) => parse(job.data.file), {
  connection,
  concurrency: Number(atOnce),
})
worker.on('error', () => undefined)
await allEnded.promise
console.log(`lost ${lost}`)
await worker.close()
await queue.obliterate({ force: true })
process.exit(0)
