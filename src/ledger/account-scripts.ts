import { z } from 'zod'
import { LuaScript } from '#src/redis/lua-script.ts'

/*
 * The budgets of an API key, which all queues on it share, in three hashes. A scope is `month:2026-11` (UTC) or
 * `run:<id>`: the total of the pipelines of one process.
 *
 *   budget   `<scope>:held` and `<scope>:spent`
 *   held     reservation, `<process>-<number>` → JSON of its credits and scopes
 *   recorded `<scope> <store>`: the sum over the records of a store
 *
 * Names and values are those of 0.2.0. All scripts are idempotent. KEYS: budget, held, own heartbeat.
 */

const BUDGETS = `
local function add(scope, field, credits)
  redis.call('HINCRBYFLOAT', KEYS[1], scope .. ':' .. field, credits)
end
local function hold(id, text)
  if redis.call('HSETNX', KEYS[2], id, text) == 0 then return end
  local held = cjson.decode(text)
  for _, scope in ipairs(held.scopes) do add(scope, 'held', held.credits) end
end
local function conclude(id, charged)
  local text = redis.call('HGET', KEYS[2], id)
  if not text then return end
  redis.call('HDEL', KEYS[2], id)
  local held = cjson.decode(text)
  for _, scope in ipairs(held.scopes) do
    add(scope, 'held', -held.credits)
    add(scope, 'spent', charged or held.credits)
  end
end
local function spent_at_least(scope, credits)
  local spent = tonumber(redis.call('HGET', KEYS[1], scope .. ':spent') or 0)
  if spent < credits then redis.call('HSET', KEYS[1], scope .. ':spent', string.format('%.17g', credits)) end
  return tostring(math.max(spent, credits))
end
`

/**
 * ARGV: reservation, JSON of it, then scope and limit ('': none) of each budget. Returns verdict, scope, limit, spent.
 */
export const HOLD = new LuaScript(
  'hold credits',
  `${BUDGETS}
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return { 'reserved', '', '', '' } end
local credits, verdict = cjson.decode(ARGV[2]).credits, 'reserved'
for i = 3, #ARGV, 2 do
  local scope, limit = ARGV[i], tonumber(ARGV[i + 1])
  local found = redis.call('HMGET', KEYS[1], scope .. ':spent', scope .. ':held')
  local spent, held = tonumber(found[1] or 0), tonumber(found[2] or 0)
  if limit and spent + credits > limit + 1e-9 then return { 'over', scope, ARGV[i + 1], tostring(spent) } end
  if limit and spent + held + credits > limit + 1e-9 then verdict = 'wait' end
end
if verdict == 'reserved' then hold(ARGV[1], ARGV[2]) end
return { verdict, '', '', '' }
`,
  z.tuple([z.enum(['reserved', 'wait', 'over']), z.string(), z.string(), z.string()]),
)

/** ARGV: reservation, credits charged. */
export const PAY = new LuaScript(
  'pay credits',
  `${BUDGETS}
conclude(ARGV[1], tonumber(ARGV[2]))
return 1
`,
  z.literal(1),
)

/**
 * Renews the heartbeat of a process, and reconciles Redis with it after a data loss or rollback. Its reservations are
 * exactly those that it knows, and no budget has less spent than it saw. All reservations of a dead process may have
 * been charged, so they count as spent. A process whose own heartbeat expired judges no other.
 *
 * ARGV: own process, prefix of heartbeats, lease in ms, and a JSON object: reservations that are `held`, those that are
 * `asked` for, and credits `spent` by scope. Returns scope and credits spent, in turn.
 */
export const DECLARE = new LuaScript(
  'declare credits',
  `${BUDGETS}
local known = cjson.decode(ARGV[4])
local in_touch = redis.call('PTTL', KEYS[3]) > 0.4 * tonumber(ARGV[3])
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
for _, id in ipairs(redis.call('HKEYS', KEYS[2])) do
  local process = string.match(id, '^(.*)-')
  if process == ARGV[1] then
    if not known.held[id] and not known.asked[id] then conclude(id, 0) end
  elseif in_touch and redis.call('EXISTS', ARGV[2] .. process) == 0 then
    conclude(id)
  end
end
for id, text in pairs(known.held) do hold(id, text) end
local spent = {}
for scope, credits in pairs(known.spent) do
  spent[#spent + 1] = scope
  spent[#spent + 1] = spent_at_least(scope, credits)
end
return spent
`,
  z.array(z.string()),
)

/**
 * Each store declares the sum of its own records; several stores may share a budget. KEYS: budget, recorded. ARGV:
 * scope, store, credits.
 */
export const RECORD = new LuaScript(
  'record credits',
  `${BUDGETS}
redis.call('HSET', KEYS[2], ARGV[1] .. ' ' .. ARGV[2], ARGV[3])
local sum, flat = 0, redis.call('HGETALL', KEYS[2])
for i = 1, #flat, 2 do
  if string.match(flat[i], '^(%S+) ') == ARGV[1] then sum = sum + flat[i + 1] end
end
spent_at_least(ARGV[1], sum)
return 1
`,
  z.literal(1),
)
