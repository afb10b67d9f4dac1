import { randomUUID } from 'node:crypto'
import { type ReceiptId, type SourceKey, sourceKey } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import { LuaScript, type RedisClient } from '#src/redis/lua-script.ts'
import { ASK_AGAIN, IN_TOUCH, inTouch, type ProcessLease, processKeyPrefix } from './process-lease.ts'
import { z } from 'zod'

/** What was about to be bought. */
export interface Intent {
  readonly receipt: ReceiptId
  readonly key: SourceKey
  /** The moment before the request, epoch milliseconds by the clock that all processes share. */
  readonly sentAt: number
  /** `ambiguous`: its process is gone, or it is far too old: whether the service charged for it is unknown. */
  readonly state: 'in_flight' | 'ambiguous'
}

/** Longer than any request takes: the service's limit of 300 s, and the upload. */
const LONGEST_REQUEST_MS = 900_000

/*
 * An intent is `<process id> <moment> <nonce> <source key>` under the receipt's id in one hash.
 *
 * KEYS: intents, own lease, how often each receipt was sent again in doubt, epoch. ARGV: receipt, own intent, prefix of
 * process keys, lease in ms, source key, now, longest request in ms, `send` or `hold` for what is in doubt, epoch that
 * we know.
 *
 * Answers 2 when it is to be held, 0 when a live process buys this receipt for another document. For the same document
 * it cannot be in flight any more, because we have the claim: an earlier try was cut off between the request and its
 * receipt, and left it. One that is held has `held` instead of its process, which is alive no more than a dead one.
 */
const BEGIN = new LuaScript(
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
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`,
  z.literal([ASK_AGAIN, 0, 1, 2]),
)

/** Compare-and-delete: if this process stalled, another one may own the document and have written its own intent. */
const CLEAR = new LuaScript(
  'clear intent',
  `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
`,
)

/** KEYS: intents, own lease. ARGV: receipt, source key, prefix of process keys, lease in ms. Leaves what a live process buys. */
const CONCLUDE = new LuaScript(
  'conclude intent',
  `${IN_TOUCH}
local left = redis.call('HGET', KEYS[1], ARGV[1])
if not left then return 1 end
if not in_touch() then return -1 end
local owner, key = string.match(left, '^(%S+) %S+ %S+ (.*)$')
if key == ARGV[2] or redis.call('EXISTS', ARGV[3] .. owner) == 0 then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1
`,
  z.literal([ASK_AGAIN, 1]),
)

/** KEYS and the first of ARGV as above. Counted as if it were sent again right now. */
const RELEASE = new LuaScript(
  'release intent',
  `
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held or string.match(held, '^%S+') ~= 'held' then return end
redis.call('HINCRBY', KEYS[3], ARGV[1], 1)
redis.call('HDEL', KEYS[1], ARGV[1])
`,
)

/**
 * Makes the intents of this process exactly those that it has: Redis may have lost them, or have come back with those
 * that were cleared since. KEYS: intents, how often each receipt was sent again in doubt. ARGV: process, prefix of
 * process keys, then receipt and intent, in turn. One of a dead process instead of ours was counted before.
 */
const DECLARE = new LuaScript(
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

export interface RedisIntentsOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  readonly lease: ProcessLease
  /** What becomes of a document whose earlier request is ambiguous. Default `send`. */
  readonly onAmbiguous?: 'send' | 'hold'
  /**
   * Epoch milliseconds by a clock that all processes share: by its own, a machine whose clock is off would take what
   * another is buying for far too old, and buy it too.
   */
  readonly now: () => number
}

/** Intents in Redis: written before a request, cleared when its receipt is safe (Law 2). */
export class RedisIntents {
  readonly #options: RedisIntentsOptions
  readonly #intentsKey: string
  readonly #resentKey: string
  /** Intents of this process, until they are cleared. */
  readonly #own = new Map<ReceiptId, string>()
  /** Intents that Redis refused to clear, with their receipts. While this process lives they keep others away. */
  readonly #uncleared = new Map<string, ReceiptId>()
  /** `lapses` of the lease when each was begun. */
  readonly #begunAt = new Map<ReceiptId, number>()

  constructor(options: RedisIntentsOptions) {
    this.#options = options
    this.#intentsKey = `${redisPrefix(options.pipeline)}:intents`
    this.#resentKey = `${redisPrefix(options.pipeline)}:resent`
    options.lease.onNewEpoch(() => this.#declare())
    options.lease.onBeat(() => this.#clearAgain())
  }

  async begin(id: ReceiptId, key: SourceKey): Promise<'begun' | 'busy' | 'held'> {
    const { connection, pipeline, lease, onAmbiguous = 'send' } = this.#options
    const now = this.#options.now()
    const { lapses } = lease
    const intent = `${lease.id} ${now} ${randomUUID().slice(0, 8)} ${key}`
    const keys = [this.#intentsKey, lease.key, this.#resentKey, lease.epochKey]
    const values = [id, intent, processKeyPrefix(pipeline), lease.leaseMs, key, now, LONGEST_REQUEST_MS, onAmbiguous]
    const answer = await inTouch(lease, () => BEGIN.run(connection, keys, [...values, lease.epoch]))
    if (answer !== 1) return answer === 2 ? 'held' : 'busy'
    this.#own.set(id, intent)
    this.#begunAt.set(id, lapses)
    return 'begun'
  }

  async release(id: ReceiptId, key: SourceKey): Promise<void> {
    const { connection, lease } = this.#options
    const all = Object.entries(await connection.hgetall(this.#intentsKey)).map(([of, text]) => parse(of, text))
    for (const intent of all.filter((one) => one.receipt === id || one.key === key)) {
      await RELEASE.run(connection, [this.#intentsKey, lease.key, this.#resentKey], [intent.receipt])
    }
  }

  async clear(id: ReceiptId): Promise<void> {
    const intent = this.#own.get(id)
    if (intent === undefined) return
    this.#own.delete(id)
    this.#begunAt.delete(id)
    try {
      await CLEAR.run(this.#options.connection, [this.#intentsKey], [id, intent])
    } catch (error) {
      this.#uncleared.set(intent, id)
      throw error
    }
  }

  async #clearAgain(): Promise<void> {
    for (const [intent, id] of this.#uncleared) {
      await CLEAR.run(this.#options.connection, [this.#intentsKey], [id, intent])
      this.#uncleared.delete(intent)
    }
  }

  stands(id: ReceiptId): boolean {
    const lapses = this.#begunAt.get(id)
    return lapses !== undefined && this.#options.lease.isUnbroken(lapses)
  }

  async conclude(id: ReceiptId, key: SourceKey): Promise<void> {
    const { connection, pipeline, lease } = this.#options
    const keys = [this.#intentsKey, lease.key]
    await inTouch(lease, () => CONCLUDE.run(connection, keys, [id, key, processKeyPrefix(pipeline), lease.leaseMs]))
  }

  async #declare(): Promise<void> {
    const { connection, pipeline, lease } = this.#options
    const values = [lease.id, processKeyPrefix(pipeline), ...[...this.#own].flat()]
    await DECLARE.run(connection, [this.#intentsKey, this.#resentKey], values)
  }

  /** Every intent that was not cleared. Holds one line a request in flight. */
  async list(): Promise<readonly Intent[]> {
    const { connection, pipeline, lease } = this.#options
    await lease.resync()
    const intents = Object.entries(await connection.hgetall(this.#intentsKey)).map(([id, text]) => parse(id, text))
    const owners = [...new Set(intents.map(({ owner }) => owner))]
    const leases = await Promise.all(owners.map((owner) => connection.exists(`${processKeyPrefix(pipeline)}${owner}`)))
    const alive = new Set(owners.filter((_, index) => leases[index] === 1))
    const youngest = this.#options.now() - LONGEST_REQUEST_MS
    return intents.map(({ owner, ...intent }) => ({
      ...intent,
      state: alive.has(owner) && intent.sentAt > youngest ? 'in_flight' : 'ambiguous',
    }))
  }

  /** How many ambiguous requests there ever were: those left now, and those that were sent again. */
  async ambiguousTotal(): Promise<number> {
    const resent = await this.#options.connection.hvals(this.#resentKey)
    const again = resent.reduce((sum, times) => sum + Number(times), 0)
    return again + (await this.list()).filter(({ state }) => state === 'ambiguous').length
  }
}

function parse(id: string, text: string): Omit<Intent, 'state'> & { readonly owner: string } {
  const [owner = '', sentAt = '0', nonce = ''] = text.split(' ', 3)
  const key = text.slice(owner.length + sentAt.length + nonce.length + 3)
  return { receipt: id as ReceiptId, owner, sentAt: Number(sentAt), key: sourceKey(key) }
}
