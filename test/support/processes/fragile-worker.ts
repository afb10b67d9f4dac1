/**
 * Consumes the queue of a pipeline with short locks, and is killed by one document (argv: url, pipeline, its key).
 * Prints `end <key>` and `given up <times> <key>`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedis } from '#src/redis/connection.ts'
import { consume } from '#src/queue/consume.ts'

const [url = '', pipeline = '', deadly = ''] = process.argv.slice(2)
const connection = await connectRedis({ url })
consume({
  connection,
  pipeline,
  concurrency: 6,
  handle: async ({ job }) => {
    await sleep(150)
    if (job.key === deadly) process.kill(process.pid, 'SIGKILL')
    await sleep(300)
    console.log(`end ${job.key}`)
    return { kind: 'finish' }
  },
  giveUp: async ({ job }, reason) =>
    console.log(`given up ${reason.kind === 'deadly' ? reason.times : '?'} ${job.key}`),
  onError: (error) => console.error(error),
  // The lock outlives the pauses of a busy machine: a process that loses its lock counts as present at a death.
  timing: { lockMs: 1_500, stalledCheckMs: 300, deathsAllowed: 3 },
})
console.log('ready')
