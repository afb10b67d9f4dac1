import type { Queue } from 'bullmq'
import type { DocumentJob } from '#src/ports/queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { LuaScript } from '#src/redis/lua-script.ts'
import { z } from 'zod'
import { JOB_NAME, JOB_OPTIONS, jobId } from './queue-layout.ts'

/**
 * Adds a batch of jobs in one step: what BullMQ's `addBulk` does with a script, its packed arguments and two events for
 * each job, which took five sixths of an enqueue. It leaves in Redis what `addBulk` leaves,
 * without the events, which Sluice does not read. A test compares the two field by field, so a BullMQ that stores jobs
 * in another way fails it.
 *
 * Idempotent: a job that is there already stays as it is, so the script may be run again with the same arguments.
 *
 * KEYS: wait, meta, active, marker. ARGV: prefix of job keys, name, options, epoch milliseconds; then id and data of
 * each job, in turn. Answers the positions, from 0, of the jobs that were there already.
 */
const ADD = new LuaScript(
  'add jobs',
  `
local prefix, name, options, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local added, there = {}, {}
for i = 5, #ARGV, 2 do
  local key = prefix .. ARGV[i]
  if redis.call('EXISTS', key) == 0 then
    redis.call('HSET', key, 'name', name, 'data', ARGV[i + 1], 'opts', options, 'timestamp', now, 'delay', 0, 'priority', 0)
    added[#added + 1] = ARGV[i]
  else
    there[#there + 1] = (i - 5) / 2
  end
end
if #added == 0 then return there end
redis.call('LPUSH', KEYS[1], unpack(added))
local paused, most = unpack(redis.call('HMGET', KEYS[2], 'paused', 'concurrency'))
if paused then return there end
if most and redis.call('LLEN', KEYS[3]) >= tonumber(most) then return there end
redis.call('ZADD', KEYS[4], 0, '0')
return there
`,
  z.array(z.number()),
)

const OPTIONS = JSON.stringify(JOB_OPTIONS)

/**
 * Adds jobs to a BullMQ queue, no more than a thousand at a time: meanwhile Redis serves no other client. Answers which of
 * them were there already.
 */
export async function addJobs(
  queue: Pick<Queue<DocumentJob>, 'toKey'>,
  connection: RedisConnection,
  jobs: readonly DocumentJob[],
): Promise<readonly DocumentJob[]> {
  const keys = ['wait', 'meta', 'active', 'marker'].map((name) => queue.toKey(name))
  const values: (string | number)[] = [queue.toKey(''), JOB_NAME, OPTIONS, Date.now()]
  for (const job of jobs) values.push(jobId(job), JSON.stringify(job))
  const there = await ADD.run(connection, keys, values)
  return there.flatMap((at) => jobs[at] ?? [])
}
