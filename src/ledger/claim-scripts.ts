import { LuaScript } from '#src/redis/lua-script.ts'
import { RESYNC_FIRST, IN_TOUCH } from './process-lease.ts'
import { z } from 'zod'

/*
 * A claim is `<process id>:<number>` under the source key in one hash. It is valid while its process lives. The next
 * process overwrites a dead process's claim, so a crash needs no cleanup.
 *
 * KEYS: claims, own lease, epoch. ARGV: source key, own claim, prefix of process keys, lease in ms, own process, known
 * epoch. Each script is idempotent for the same arguments.
 */

/** Reply of `CLAIM` if this epoch of Redis has no counter of claims yet: `COUNT_FROM`, then a retry. */
const UNCOUNTED = -2

/**
 * Returns the epoch and number of the claim if the process now holds the document, 0 if another process has it. Another
 * claim of the same process is a leftover: `RedisClaims` asks only for documents that this process does not hold.
 */
export const CLAIM = new LuaScript(
  'claim',
  `${IN_TOUCH}
if not in_epoch(KEYS[3], ARGV[6]) then return -1 end
local counted, epoch = unpack(redis.call('HMGET', KEYS[3], 'counted', 'claim-epoch'))
if counted ~= ARGV[6] then return ${UNCOUNTED} end
local held = redis.call('HGET', KEYS[1], ARGV[1])
local owner = held and string.match(held, '^[^:]*')
if held and owner ~= ARGV[5] then
  if not in_touch() then return -1 end
  if redis.call('EXISTS', ARGV[3] .. owner) == 1 then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return { tonumber(epoch), redis.call('HINCRBY', KEYS[3], 'claims', 1) }
`,
  z.union([z.literal([RESYNC_FIRST, UNCOUNTED, 0]), z.tuple([z.number(), z.number()])]),
)

/**
 * Maps the claims of the present epoch of Redis to this epoch of the store. KEYS: epoch. ARGV: its id, epoch of the
 * store. The highest one of concurrent processes wins.
 */
export const COUNT_FROM = new LuaScript(
  'count claims from',
  `
local id, counted, epoch = unpack(redis.call('HMGET', KEYS[1], 'id', 'counted', 'claim-epoch'))
if id ~= ARGV[1] or (counted == id and tonumber(epoch) >= tonumber(ARGV[2])) then return end
redis.call('HSET', KEYS[1], 'counted', id, 'claim-epoch', ARGV[2])
`,
)

/** Returns 1 if the process still holds the document, and renews its lease to the full length. */
export const STILL_HELD = new LuaScript(
  'claim still held',
  `${IN_TOUCH}
if not in_epoch(KEYS[3], ARGV[6]) then return -1 end
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[2], redis.call('GET', KEYS[2]) or '0', 'PX', ARGV[4])
return 1
`,
  z.literal([RESYNC_FIRST, 0, 1]),
)

export const RELEASE = new LuaScript(
  'release claim',
  `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
`,
)

/**
 * Makes the claims of this process exactly those that it holds: Redis may have lost them, or restored a snapshot with
 * released ones. KEYS: claims. ARGV: process, prefix of process keys, then source key and claim, in turn. A document
 * that another live process has by now stays with it; the claim of a dead process is free.
 */
export const DECLARE = new LuaScript(
  'declare claims',
  `
local mine, alive = {}, {}
for i = 3, #ARGV, 2 do mine[ARGV[i]] = ARGV[i + 1] end
local function lives(process)
  if alive[process] == nil then alive[process] = redis.call('EXISTS', ARGV[2] .. process) == 1 end
  return alive[process]
end
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local owner = string.match(all[i + 1], '^[^:]*')
  if owner == ARGV[1] and mine[all[i]] ~= all[i + 1] then redis.call('HDEL', KEYS[1], all[i]) end
end
for key, claim in pairs(mine) do
  local held = redis.call('HGET', KEYS[1], key)
  if not held or not lives(string.match(held, '^[^:]*')) then redis.call('HSET', KEYS[1], key, claim) end
end
`,
)
