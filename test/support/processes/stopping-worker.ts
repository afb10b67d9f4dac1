/**
 * Consumes the queue of a pipeline (argv: url, pipeline) that is empty, stops when its standard input ends, and has
 * nothing to do from then on. Prints `running` when it waits for jobs.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedis } from '#src/redis/connection.ts'
import { consume } from '#src/queue/consume.ts'

const [url = '', pipeline = ''] = process.argv.slice(2)
const connection = await connectRedis({ url })
const consumer = consume({
  connection,
  pipeline,
  concurrency: 1,
  handle: async () => ({ kind: 'finish' }),
  giveUp: async () => undefined,
  onError: (error) => console.error(error),
})
while (!String(await connection.client('LIST')).includes('cmd=bzpopmin')) await sleep(20)
console.log('running')
process.stdin.resume()
await once(process.stdin, 'end')
await consumer.stop({ graceMs: 100 })
connection.disconnect()
