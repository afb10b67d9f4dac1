import { LuaScript } from '#src/redis/lua-script.ts'
import { z } from 'zod'

/*
 * Entries and counts change atomically (Law 1). All scripts are idempotent for the same arguments, because the client
 * retries one whose reply was lost with the connection.
 *
 * KEYS[1] holds the counts by outcome letter, KEYS[i + 1] the bucket of the i-th source key. Under `ended` KEYS[1]
 * counts the documents that left pending for a final outcome. Only the first of two deliveries of a document does, and
 * a write of a scan (`ADVANCE`) does not.
 */

const MOVE_COUNT = `
local moved = {}
local function move(before, after)
  if before then local letter = string.sub(before, 1, 1); moved[letter] = (moved[letter] or 0) - 1 end
  if after then local letter = string.sub(after, 1, 1); moved[letter] = (moved[letter] or 0) + 1 end
end
local ended = 0
local function ends(before, after)
  local was, is = before and string.sub(before, 1, 1), string.sub(after, 1, 1)
  if was == 'p' and is ~= 'p' and is ~= 's' and is ~= 'g' and is ~= 'h' then ended = ended + 1 end
end
local function count()
  if ended > 0 then redis.call('HINCRBY', KEYS[1], 'ended', ended) end
  for letter, by in pairs(moved) do
    if by ~= 0 then redis.call('HINCRBY', KEYS[1], letter, by) end
  end
end
`

/** ARGV: source key and entry, in turn. */
export const WRITE = new LuaScript(
  'write entries',
  `${MOVE_COUNT}
for i = 2, #KEYS do
  local field, entry = ARGV[2 * i - 3], ARGV[2 * i - 2]
  local before = redis.call('HGET', KEYS[i], field)
  move(before, entry)
  ends(before, entry)
  redis.call('HSET', KEYS[i], field, entry)
end
count()
`,
)

/**
 * Compare-and-set. ARGV: source key, the expected entry ('' for none) and the new entry, in turn. Returns, in order, 1
 * for each written entry and 0 for each that has changed.
 */
export const ADVANCE = new LuaScript(
  'advance entries',
  `${MOVE_COUNT}
local written = {}
for i = 2, #KEYS do
  local field, known, entry = ARGV[3 * i - 5], ARGV[3 * i - 4], ARGV[3 * i - 3]
  local before = redis.call('HGET', KEYS[i], field)
  -- The new entry may be there already: this script is sent again where its answer was lost.
  written[i - 1] = ((before or '') == known or before == entry) and 1 or 0
  if written[i - 1] == 1 then
    move(before, entry)
    redis.call('HSET', KEYS[i], field, entry)
  end
end
count()
return written
`,
  z.array(z.literal([0, 1])),
)

/** Writes ledger entries for records of the store. ARGV: pairs of source key and entry. Returns the number written. */
export const ADOPT = new LuaScript(
  'adopt entries',
  `${MOVE_COUNT}
local adopted = 0
for i = 2, #KEYS do
  local field, entry = ARGV[2 * i - 3], ARGV[2 * i - 2]
  local before = redis.call('HGET', KEYS[i], field)
  local came_out = string.sub(entry, 1, 1) ~= 'f' and before == 'p' .. string.sub(entry, 2)
  if not before or came_out then
    move(before, entry)
    redis.call('HSET', KEYS[i], field, entry)
    adopted = adopted + 1
  end
end
count()
return adopted
`,
  z.number(),
)

/** ARGV: source keys. */
export const FORGET = new LuaScript(
  'forget entries',
  `${MOVE_COUNT}
for i = 2, #KEYS do
  local before = redis.call('HGET', KEYS[i], ARGV[i - 1])
  if before then
    move(before, nil)
    redis.call('HDEL', KEYS[i], ARGV[i - 1])
  end
end
count()
`,
)

/** TTL of a process's numbers: after this long without an end it retries none. */
const SETTLER_EXPIRY_S = 3_600

/**
 * ARGV: source key, entry, version, number of this end in its process. Returns 0 if the present entry has another
 * version, 2 if it is this very entry, else 1. An absent entry means that Redis lost it during the work on the
 * document. The store has its record, which a rebuild from the store may have missed, and no scan lists it if it has
 * left the source.
 *
 * KEYS[3] is the process: under `last` the number of its last end, and the number of each duplicate. A process sends
 * its ends in order, and again in that order after a lost connection. An end up to the last one was therefore carried
 * out before, and gets the same reply. Otherwise the script could mistake another process's end for its own, and both
 * would count the document.
 */
export const SETTLE = new LuaScript(
  'settle entry',
  `${MOVE_COUNT}
local function remember(field)
  redis.call('HSET', KEYS[3], field, ARGV[4])
  redis.call('EXPIRE', KEYS[3], ${SETTLER_EXPIRY_S})
end
local function answer_again()
  local last = tonumber(redis.call('HGET', KEYS[3], 'last') or 0)
  if tonumber(ARGV[4]) <= last and redis.call('HEXISTS', KEYS[3], ARGV[4]) == 0 then return 1 end
  remember(ARGV[4])
  return 2
end
local before = redis.call('HGET', KEYS[2], ARGV[1])
local version = ARGV[3]
if before then
  if string.sub(before, -#version) ~= version then return 0 end
  local header = #before - #version
  if #version == 0 or not (header == 12 or string.find(string.sub(before, 2, header), '^:[^:]*:$')) then return 0 end
  if before == ARGV[2] then return answer_again() end
end
move(before, ARGV[2])
ends(before or 'p', ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
count()
remember('last')
return 1
`,
  z.literal([0, 1, 2]),
)

/** ARGV: source keys; KEYS: their buckets, without the counts. Returns entries in their order. */
export const READ = new LuaScript(
  'read entries',
  `
local entries = {}
for i = 1, #KEYS do entries[i] = redis.call('HGET', KEYS[i], ARGV[i]) end
return entries
`,
  z.array(z.string().nullable()),
)

/**
 * KEYS: buckets; ARGV: sufficient number of entries. Returns the number of buckets that it read, then source keys and
 * entries in turn; none if the first bucket alone has more. Most buckets of a small ledger are empty: a call per bucket
 * would dominate a run of ten documents.
 */
export const STREAM = new LuaScript(
  'stream entries',
  `
local fields, enough = {}, tonumber(ARGV[1])
for i, bucket in ipairs(KEYS) do
  local size = redis.call('HLEN', bucket)
  if size > 0 then
    if #fields / 2 + size > enough then return { i - 1, fields } end
    for _, field in ipairs(redis.call('HGETALL', bucket)) do fields[#fields + 1] = field end
  end
end
return { #KEYS, fields }
`,
  z.tuple([z.number(), z.array(z.string())]),
)
