import { LuaScript } from '#src/redis/lua-script.ts'
import { z } from 'zod'

/*
 * Entries and counts change in one step (Law 1). All scripts may be run again with the same arguments: that is what
 * happens when the answer of one is lost with the connection.
 *
 * KEYS[1] holds the counts by outcome letter, KEYS[i + 1] the bucket of the i-th source key. Under `ended` KEYS[1] counts
 * the documents that came from pending to an end: of two deliveries of one document only the first does, and what a scan
 * writes back (`ADVANCE`) is none.
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
 * ARGV: source key, the entry that it is to replace ('' for none) and the new entry, in turn. Answers 1 for each that was
 * written and 0 for each whose entry has changed, in their order.
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

/** ARGV: source key and entry, in turn. Answers how many entries were written. */
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

/** A process that wrote no end for this long sends none again. */
const SETTLER_EXPIRY_S = 3_600

/**
 * ARGV: source key, entry, version, number of this end in its process. Answers 0 when the entry that was there is for
 * another version, 2 when it was this very entry, else 1. Where none was there, Redis lost it while the document was in
 * work: the store has its record, which a rebuild from the store may have missed, and no scan lists it if it has left the source.
 *
 * KEYS[3] is the process: under `last` the number of its last end, and the number of each that came second. A process
 * sends its ends in their order, and again in that order where a connection was lost; so an end up to the last was
 * carried out before, and is answered as it was then. Without that the end that another process wrote meanwhile would
 * be taken for the own one, and the document be counted by both.
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

/** ARGV: source keys; KEYS: their buckets, nothing before them. Answers in their order. */
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
 * KEYS: buckets; ARGV: how many entries are enough. Answers how many of the buckets it has read, and source keys and
 * entries in turn; none where the first one alone has more. Most buckets of a small ledger are empty: asked for one by
 * one, they would cost a run of ten documents more than all that it does besides.
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
