import type { Queue } from 'bullmq'
import type { RedisConnection } from '#src/redis/connection.ts'
import { LuaScript } from '#src/redis/lua-script.ts'
import { z } from 'zod'

/**
 * Jobs of each kind that are read, from both ends of the waiting ones: postponed jobs go behind the backlog, so the
 * oldest need not be the next. What waits in the middle of a longer list came with its neighbours.
 */
const LOOKED_AT = 200

/** KEYS: wait, active, delayed, prioritized. ARGV: prefix of job keys, jobs read. Returns milliseconds. */
const OLDEST = new LuaScript(
  'oldest job',
  `
local prefix, most = ARGV[1], tonumber(ARGV[2])
local oldest
local function inspect(ids)
  for _, id in ipairs(ids) do
    local at = tonumber(redis.call('HGET', prefix .. id, 'timestamp') or nil)
    if at and (not oldest or at < oldest) then oldest = at end
  end
end
inspect(redis.call('LRANGE', KEYS[1], -most, -1))
if redis.call('LLEN', KEYS[1]) > most then inspect(redis.call('LRANGE', KEYS[1], 0, most - 1)) end
inspect(redis.call('LRANGE', KEYS[2], 0, most - 1))
inspect(redis.call('ZRANGE', KEYS[3], 0, most - 1))
inspect(redis.call('ZRANGE', KEYS[4], 0, most - 1))
if not oldest then return 0 end
local now = redis.call('TIME')
return math.max(0, now[1] * 1000 + math.floor(now[2] / 1000) - oldest)
`,
  z.number(),
)

/** Milliseconds since the oldest job of a BullMQ queue was added, on the clock of Redis; 0 without a job. */
export async function oldestJobMs(queue: Pick<Queue, 'toKey'>, connection: RedisConnection): Promise<number> {
  const keys = ['wait', 'active', 'delayed', 'prioritized'].map((name) => queue.toKey(name))
  return OLDEST.run(connection, keys, [queue.toKey(''), LOOKED_AT])
}
