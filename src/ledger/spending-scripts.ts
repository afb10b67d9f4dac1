import { LuaScript } from '#src/redis/lua-script.ts'
import { RESYNC_FIRST, IN_TOUCH } from './process-lease.ts'
import { z } from 'zod'

/*
 * The spending cap of a queue, in three hashes.
 *
 *   cap    `limit` (absent: no cap), `run` and `since` of the run that set it, `owner`: the process of that run,
 *          `by <run> <process>`: total charge of each process to the cap, which only grows
 *   prices recipe → credits charged per credit of the price model; `=credits` if the model gives 0
 *   held   reservation → `<process> <run> <credits> <1 if its price was known> <recipe>`
 *
 * The spent credits are the sum over the processes. Each process can therefore declare the sums that it saw after Redis
 * lost data, and the higher of two values is always the true one. All scripts are idempotent.
 *
 * KEYS: cap, own lease, prices, epoch, held.
 */

const text = z.string()
/** Verdict, limit, spent, credits, price, run, since, owner; and field and credits of each process, in turn. */
const reserved = z.tuple([
  z.enum(['free', 'reserved', 'wait', 'price', 'over']),
  text,
  text,
  text,
  text,
  text,
  text,
  text,
  z.array(text),
])
/** Reply of RESERVE. */
export type Reserved = z.infer<typeof reserved>

const STATE = `${IN_TOUCH}
local function spent_of(run)
  local sum, by, flat = 0, {}, redis.call('HGETALL', KEYS[1])
  local prefix = 'by ' .. run .. ' '
  for i = 1, #flat, 2 do
    if string.sub(flat[i], 1, #prefix) == prefix then
      sum = sum + flat[i + 1]
      by[#by + 1] = flat[i]
      by[#by + 1] = flat[i + 1]
    end
  end
  return sum, by
end
local function charge(run, process, total)
  local field = 'by ' .. run .. ' ' .. process
  if total > tonumber(redis.call('HGET', KEYS[1], field) or 0) then
    redis.call('HSET', KEYS[1], field, string.format('%.17g', total))
  end
end
local function learn(recipe, price)
  local before = redis.call('HGET', KEYS[3], recipe)
  local function amount(text) return tonumber((string.gsub(text, '^=', ''))) end
  if not before or amount(price) > amount(before) then redis.call('HSET', KEYS[3], recipe, price) end
end
local function cap()
  local found = redis.call('HMGET', KEYS[1], 'limit', 'run', 'since', 'owner')
  return found[1], found[2] or '', found[3] or '0', found[4] or ''
end
`

/**
 * ARGV: reservation, recipe, credits by the model, lease in ms, own process, known epoch, prefix of process keys.
 * Returns -1 in another epoch, else verdict, limit, spent, credits, price, run, since, owner and the charges of each
 * process.
 */
export const RESERVE = new LuaScript(
  'reserve credits',
  `${STATE}
if not in_epoch(KEYS[4], ARGV[6]) then return -1 end
local limit, run, since, owner = cap()
local price = redis.call('HGET', KEYS[3], ARGV[2])
local modelled = tonumber(ARGV[3])
local credits = modelled
if price and string.sub(price, 1, 1) == '=' then credits = math.max(modelled, tonumber(string.sub(price, 2)))
elseif price then credits = math.max(modelled, modelled * tonumber(price)) end
local function answer(verdict, spent, by)
  return { verdict, limit and tostring(limit) or '', tostring(spent), tostring(credits), price or '', run, since, owner, by }
end
if not limit then return answer('free', 0, {}) end
limit = tonumber(limit)

local function count_held()
  local held, unknown, flat = 0, 0, redis.call('HGETALL', KEYS[5])
  for i = 1, #flat, 2 do
    local process, of, amount, known, recipe = string.match(flat[i + 1], '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
    if of == run and flat[i] ~= ARGV[1] then
      if process ~= ARGV[5] and redis.call('EXISTS', ARGV[7] .. process) == 0 then
        if not in_touch() then return nil end
        -- Sent by a process that died: it may have been charged.
        local field = 'by ' .. run .. ' dead-' .. flat[i]
        redis.call('HSET', KEYS[1], field, amount)
        redis.call('HDEL', KEYS[5], flat[i])
      else
        held = held + amount
        if known == '0' and recipe == ARGV[2] then unknown = unknown + 1 end
      end
    end
  end
  return held, unknown
end
local held, unknown = count_held()
if not held then return -1 end
local spent, by = spent_of(run)
if spent + credits > limit + 1e-9 then return answer('over', spent, by) end
if not price and unknown > 0 then return answer('price', spent, by) end
if spent + held + credits > limit + 1e-9 then return answer('wait', spent, by) end
redis.call('HSET', KEYS[5], ARGV[1], ARGV[5] .. ' ' .. run .. ' ' .. credits .. ' ' .. (price and '1' or '0') .. ' ' .. ARGV[2])
return answer('reserved', spent, by)
`,
  z.union([z.literal(RESYNC_FIRST), reserved]),
)

/** ARGV: reservation, own process, run, total charge of this process to that run, recipe, learned price or ''. */
export const CONCLUDE = new LuaScript(
  'conclude reservation',
  `${STATE}
redis.call('HDEL', KEYS[5], ARGV[1])
local _, run = cap()
if ARGV[3] == run and ARGV[3] ~= '' then
  charge(ARGV[3], ARGV[2], tonumber(ARGV[4]))
  -- Its process was taken for dead and is not: what it reports stands for the request.
  redis.call('HDEL', KEYS[1], 'by ' .. run .. ' dead-' .. ARGV[1])
end
if ARGV[6] ~= '' then learn(ARGV[5], ARGV[6]) end
return 1
`,
  z.literal(1),
)

/**
 * ARGV: run, limit or '', own process, lease in ms, prefix of process keys. Another run without a cap does not lift the
 * cap of a live run; the lower of two caps applies. Returns limit or '', run, since and owner of the effective cap.
 */
export const SET_CAP = new LuaScript(
  'set cap',
  `${STATE}
local limit, run, since, owner = cap()
local lives = limit and owner ~= ARGV[3] and redis.call('EXISTS', ARGV[5] .. owner) == 1
if limit and not lives and owner ~= ARGV[3] and not in_touch() then return -1 end
if lives then
  if ARGV[2] ~= '' and tonumber(ARGV[2]) < tonumber(limit) then redis.call('HSET', KEYS[1], 'limit', ARGV[2]) end
  return { redis.call('HGET', KEYS[1], 'limit'), run, since, owner }
end
local time = redis.call('TIME')
redis.call('DEL', KEYS[1], KEYS[3])
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], 'run', ARGV[1], 'since', now, 'owner', ARGV[3])
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'limit', ARGV[2]) end
return { ARGV[2], ARGV[1], now, ARGV[3] }
`,
  z.union([z.literal(RESYNC_FIRST), z.tuple([z.string(), z.string(), z.string(), z.string()])]),
)

/**
 * Restores data after Redis lost them or was rolled back. ARGV: own process, then a JSON object with its knowledge: the
 * cap, the charges of each process, prices, and its own reservations, which are exactly these.
 */
export const DECLARE = new LuaScript(
  'declare spending',
  `${STATE}
local known = cjson.decode(ARGV[2])
local _, _, since = cap()
if known.cap and tonumber(known.cap.since) > tonumber(since) then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'run', known.cap.run, 'since', known.cap.since, 'owner', known.cap.owner)
  if known.cap.limit ~= '' then redis.call('HSET', KEYS[1], 'limit', known.cap.limit) end
end
local _, run = cap()
if known.cap and known.cap.run == run then
  for process, total in pairs(known.by) do charge(run, process, tonumber(total)) end
end
for recipe, price in pairs(known.prices) do learn(recipe, price) end
local flat = redis.call('HGETALL', KEYS[5])
for i = 1, #flat, 2 do
  if string.match(flat[i + 1], '^%S+') == ARGV[1] and not known.held[flat[i]] then redis.call('HDEL', KEYS[5], flat[i]) end
end
for id, text in pairs(known.held) do redis.call('HSET', KEYS[5], id, text) end
return 1
`,
  z.literal(1),
)
