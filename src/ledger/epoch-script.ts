import { LuaScript } from '#src/redis/lua-script.ts'
import { z } from 'zod'

/*
 * The epoch of a pipeline's data in Redis, one hash:
 *
 *   id            names the epoch; a new one means that data may have been lost
 *   run           run id of the server: another server, or a restart, begins a new epoch
 *   filled        the epoch in which the ledger was made complete from the store
 *   counted       the epoch in which claims are counted (claim-scripts.ts): beside it,
 *   claim-epoch   the epoch of the store that they are counted in, and
 *   claims        how many there were
 *   p:<process>   <beat>:<epoch in which it has declared what it holds>:<milliseconds of Redis's clock>
 *
 * A rollback brings the hash back as it was, so the id alone shows nothing. But each process counts its beats, and finds
 * an older number of its own than the last one that Redis acknowledged.
 */

const flag = z.literal([0, 1])
const beatReply = z.tuple([flag, z.string(), flag, flag, z.number()]).rest(z.union([z.string(), z.number()]))

/**
 * One heartbeat. KEYS: lease, epoch. ARGV: lease in ms, process, epoch that it knows ('' at its start), last
 * acknowledged beat, this beat, id for a new epoch, epoch in which it has declared.
 *
 * Answers: whether the beat was in time, the epoch, whether this process's last beat is still there, whether the ledger
 * is filled, the age of the epoch in ms, and then process, declared epoch and age of the last beat of each process.
 */
export const BEAT = new LuaScript(
  'heartbeat',
  `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local touch = 1
if redis.call('GET', KEYS[1]) ~= '1' or redis.call('PTTL', KEYS[1]) <= 0.4 * tonumber(ARGV[1]) then touch = 0 end
redis.call('SET', KEYS[1], touch, 'PX', ARGV[1])

local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local process, known, fresh = 'p:' .. ARGV[2], ARGV[3], ARGV[6]
local id, run_before, filled = unpack(redis.call('HMGET', KEYS[2], 'id', 'run', 'filled'))
local mine = redis.call('HGET', KEYS[2], process)
local kept = known == '' or (mine and tonumber(string.match(mine, '^%d+')) >= tonumber(ARGV[4])) or false

local function begin_epoch()
  redis.call('HSET', KEYS[2], 'id', fresh, 'run', run, 'at', now)
  if filled and filled == id then filled = fresh; redis.call('HSET', KEYS[2], 'filled', fresh) end
  id = fresh
end
if not id or run_before ~= run then begin_epoch() end
if not kept then
  redis.call('HDEL', KEYS[2], 'filled')
  filled = false
  if id == known then begin_epoch() end
end
redis.call('HSET', KEYS[2], process, ARGV[5] .. ':' .. ARGV[7] .. ':' .. now)

local at = tonumber(redis.call('HGET', KEYS[2], 'at') or now)
local answer = { touch, id, kept and 1 or 0, filled == id and 1 or 0, now - at }
local fields = redis.call('HGETALL', KEYS[2])
for i = 1, #fields, 2 do
  local other = string.match(fields[i], '^p:(.*)')
  local declared, seen = string.match(fields[i + 1], '^%d+:(.*):(%d+)$')
  if other and now - seen > 86400000 then
    redis.call('HDEL', KEYS[2], fields[i])
  elseif other then
    answer[#answer + 1] = other
    answer[#answer + 1] = declared
    answer[#answer + 1] = now - seen
  end
end
return answer
`,
  beatReply,
)

/** The ledger is complete in this epoch. KEYS: epoch. ARGV: its id. A later epoch is not marked. */
export const FILLED = new LuaScript(
  'ledger filled',
  `
if redis.call('HGET', KEYS[1], 'id') == ARGV[1] then redis.call('HSET', KEYS[1], 'filled', ARGV[1]) end
`,
)

export interface Peer {
  readonly process: string
  /** The epoch in which it has declared what it holds. */
  readonly declared: string
  /** Since its last beat. */
  readonly ageMs: number
}

export interface Beat {
  /** False where the heartbeat was late: other processes may have been considered dead, or this one. */
  readonly inTime: boolean
  readonly epoch: string
  /** False where Redis does not remember this process's last beat: it lost data. */
  readonly kept: boolean
  readonly filled: boolean
  readonly epochAgeMs: number
  readonly peers: readonly Peer[]
}

export function readBeat([touch, epoch, kept, filled, epochAgeMs, ...rest]: z.infer<typeof beatReply>): Beat {
  const peers = Array.from({ length: rest.length / 3 }, (_, at) => ({
    process: String(rest[3 * at]),
    declared: String(rest[3 * at + 1]),
    ageMs: Number(rest[3 * at + 2]),
  }))
  return {
    inTime: touch === 1,
    epoch,
    kept: kept === 1,
    filled: filled === 1,
    epochAgeMs,
    peers,
  }
}

/** Whether each of the processes that were alive before a loss has declared in this epoch what it holds. */
export function haveDeclared(alive: ReadonlySet<string>, { peers, epoch }: Beat): boolean {
  const declared = new Set(peers.filter((peer) => peer.declared === epoch).map(({ process }) => process))
  return [...alive].every((process) => declared.has(process))
}
