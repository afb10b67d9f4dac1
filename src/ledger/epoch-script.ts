import { LuaScript } from '#src/redis/lua-script.ts'
import { z } from 'zod'

/*
 * The epoch of a pipeline's data in Redis, one hash:
 *
 *   id            names the epoch; a new one means that data may have been lost
 *   run           run id of the server: another server, or a restart, starts a new epoch
 *   filled        the epoch in which the ledger was completed from the store
 *   counted       the epoch in which claims are counted (claim-scripts.ts), with
 *   claim-epoch   the epoch of the store that they are counted in, and
 *   claims        the number of claims
 *   p:<process>   <beat>:<epoch of its last declaration>:<milliseconds of Redis's clock>
 *
 * A rollback restores the hash, so the id alone reveals nothing. But each process counts its heartbeats, and detects a
 * number older than the last one that Redis acknowledged.
 */

const flag = z.literal([0, 1])
const beatReply = z.tuple([flag, z.string(), flag, flag, z.number()]).rest(z.union([z.string(), z.number()]))

/**
 * Heartbeat. KEYS: lease, epoch. ARGV: lease in ms, process, epoch that it knows ('' at its start), last acknowledged
 * beat, this beat, id for a new epoch, epoch of its last declaration.
 *
 * Returns five values: 1 for a timely beat, the epoch, 1 if this process's last beat is present, 1 for a filled ledger,
 * the age of the epoch in ms. Then follow process, declared epoch and age of the last beat of each process.
 */
export const HEARTBEAT = new LuaScript(
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

/** Marks the ledger as complete in this epoch, but not in a later one. KEYS: epoch. ARGV: its id. */
export const MARK_COMPLETE = new LuaScript(
  'ledger filled',
  `
if redis.call('HGET', KEYS[1], 'id') == ARGV[1] then redis.call('HSET', KEYS[1], 'filled', ARGV[1]) end
`,
)

export interface Peer {
  readonly process: string
  /** Epoch of its last declaration. */
  readonly declared: string
  /** Time since its last heartbeat. */
  readonly ageMs: number
}

export interface Heartbeat {
  /** False if the heartbeat was late: another process, or this one, may have counted as dead. */
  readonly inTime: boolean
  readonly epoch: string
  /** False if Redis lost this process's last heartbeat, and therefore data. */
  readonly kept: boolean
  readonly isLedgerComplete: boolean
  readonly epochAgeMs: number
  readonly peers: readonly Peer[]
}

export function readHeartbeat([touch, epoch, kept, filled, epochAgeMs, ...rest]: z.infer<typeof beatReply>): Heartbeat {
  const peers = Array.from({ length: rest.length / 3 }, (_, at) => ({
    process: String(rest[3 * at]),
    declared: String(rest[3 * at + 1]),
    ageMs: Number(rest[3 * at + 2]),
  }))
  return {
    inTime: touch === 1,
    epoch,
    kept: kept === 1,
    isLedgerComplete: filled === 1,
    epochAgeMs,
    peers,
  }
}

/** True if each process that was alive before a loss has declared its holdings in this epoch. */
export function haveAllDeclared(alive: ReadonlySet<string>, { peers, epoch }: Heartbeat): boolean {
  const declared = new Set(peers.filter((peer) => peer.declared === epoch).map(({ process }) => process))
  return [...alive].every((process) => declared.has(process))
}
