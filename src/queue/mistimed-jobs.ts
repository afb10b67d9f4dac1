import type { Queue } from 'bullmq'
import type { DocumentJob } from '#src/ports/queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { LuaScript } from '#src/redis/lua-script.ts'
import { z } from 'zod'

/** Less is as good as no wait. */
const SLACK_MS = 2_000

/** Jobs that are read in one go: those that are due last, where a time that is wrong by much stands. */
const MOST = 500

/**
 * Returns the ids of delayed jobs that are due later than their own delay allows, by the clock of Redis. KEYS: the delayed
 * jobs. ARGV: prefix of job keys, slack in milliseconds, how many are read.
 */
const MISTIMED = new LuaScript(
  'mistimed jobs',
  `
local prefix, slack, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = {}
-- BullMQ's scores: epoch milliseconds, and twelve bits for the order within one.
local last = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', (now + slack) * 4096, 'WITHSCORES', 'LIMIT', 0, most)
for i = 1, #last, 2 do
  local delay = tonumber(redis.call('HGET', prefix .. last[i], 'delay') or 0)
  if last[i + 1] / 4096 - now > delay + slack then found[#found + 1] = last[i] end
end
return found
`,
  z.array(z.string()),
)

/**
 * Lets out the delayed jobs whose time was taken from a clock that is wrong or was set since: the one of Redis, or that
 * of a worker of an earlier release. Too early does no harm: the gate decides when anything is sent.
 */
export async function promoteMistimed(queue: Queue<DocumentJob>, connection: RedisConnection): Promise<void> {
  const ids = await MISTIMED.run(connection, [queue.toKey('delayed')], [queue.toKey(''), SLACK_MS, MOST])
  // One that is not delayed any more was let out by another process.
  await Promise.allSettled(ids.map(async (id) => (await queue.getJob(id))?.promote()))
}
