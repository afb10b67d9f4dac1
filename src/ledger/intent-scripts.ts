import { LuaScript } from '#src/redis/lua-script.ts'
import { RESYNC_FIRST, IN_TOUCH } from './process-lease.ts'
import { z } from 'zod'

/*
 * An intent is `<process id> <moment> <nonce> <source key>` under the receipt's id in one hash.
 *
 * KEYS: intents, own lease, number of requests in doubt per receipt, epoch. ARGV: receipt, own intent, prefix of
 * process keys, lease in ms, source key, now, longest request in ms, `send` or `hold` for requests in doubt, known
 * epoch.
 *
 * Returns 2 to hold the document, 3 to send it again with an earlier request in doubt. Returns 0 if a live process buys
 * this receipt for another document. An intent for the same document is a leftover, because this process has the claim:
 * an earlier attempt crashed between the request and its receipt. A held intent has `held` instead of its process, and
 * counts like that of a dead process.
 */
export const BEGIN = new LuaScript(
  'begin intent',
  `${IN_TOUCH}
if not in_epoch(KEYS[4], ARGV[9]) then return -1 end
local before = redis.call('HGET', KEYS[1], ARGV[1])
if before and before ~= ARGV[2] then
  if not in_touch() then return -1 end
  local owner, sent, key = string.match(before, '^(%S+) (%S+) %S+ (.*)$')
  local alive = redis.call('EXISTS', ARGV[3] .. owner) == 1 and ARGV[6] - sent < tonumber(ARGV[7])
  if alive and key ~= ARGV[5] then return 0 end
  if ARGV[8] == 'hold' then
    redis.call('HSET', KEYS[1], ARGV[1], 'held ' .. sent .. ' - ' .. key)
    return 2
  end
  redis.call('HINCRBY', KEYS[3], ARGV[1], 1)
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  return 3
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`,
  z.literal([RESYNC_FIRST, 0, 1, 2, 3]),
)

/** Compare-and-delete: if this process stalled, another one may own the document and have written its own intent. */
export const CLEAR = new LuaScript(
  'clear intent',
  `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
`,
)

/**
 * KEYS: intents, own lease. ARGV: receipt, source key, prefix of process keys, lease in ms. Keeps the intent of a live
 * process.
 */
export const CONCLUDE = new LuaScript(
  'conclude intent',
  `${IN_TOUCH}
local left = redis.call('HGET', KEYS[1], ARGV[1])
if not left then return 1 end
if not in_touch() then return -1 end
local owner, key = string.match(left, '^(%S+) %S+ %S+ (.*)$')
if key == ARGV[2] or redis.call('EXISTS', ARGV[3] .. owner) == 0 then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1
`,
  z.literal([RESYNC_FIRST, 1]),
)

/** KEYS and the first of ARGV as above. Counts as a retry at this moment. */
export const RELEASE = new LuaScript(
  'release intent',
  `
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held or string.match(held, '^%S+') ~= 'held' then return end
redis.call('HINCRBY', KEYS[3], ARGV[1], 1)
redis.call('HDEL', KEYS[1], ARGV[1])
`,
)

/**
 * Makes the intents of this process exactly those that it has: Redis may have lost them, or restored a snapshot with
 * cleared ones. KEYS: intents, number of requests in doubt per receipt. ARGV: process, prefix of process keys, then
 * receipt and intent, in turn. An intent of a dead process in its position was counted before.
 */
export const DECLARE = new LuaScript(
  'declare intents',
  `
local mine = {}
for i = 3, #ARGV, 2 do mine[ARGV[i]] = ARGV[i + 1] end
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if string.match(all[i + 1], '^%S+') == ARGV[1] and mine[all[i]] ~= all[i + 1] then
    redis.call('HDEL', KEYS[1], all[i])
  end
end
for receipt, intent in pairs(mine) do
  local before = redis.call('HGET', KEYS[1], receipt)
  local owner = before and string.match(before, '^%S+')
  if not before or owner == ARGV[1] or redis.call('EXISTS', ARGV[2] .. owner) == 0 then
    if before and owner ~= ARGV[1] then redis.call('HINCRBY', KEYS[2], receipt, 1) end
    redis.call('HSET', KEYS[1], receipt, intent)
  end
end
`,
)
