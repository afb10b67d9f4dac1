import type { SourceKey } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import { LuaScript, type RedisClient } from '#src/redis/lua-script.ts'
import { ASK_AGAIN, IN_TOUCH, inTouch, type ProcessLease, processKeyPrefix } from './process-lease.ts'
import { z } from 'zod'

/*
 * A claim is `<process id>:<number>` under the source key in one hash. It stands while its process lives. A dead
 * process's claim is simply overwritten, so nothing has to be cleaned up after a crash.
 *
 * KEYS: claims, own lease, epoch. ARGV: source key, own claim, prefix of process keys, lease in ms, own process, epoch
 * that we know. Each script may be run again with the same arguments.
 */

/**
 * Answers 1 when the document is ours now. Another claim of the own process is a leftover: `RedisClaims` asks only for
 * documents that this process does not hold.
 */
const CLAIM = new LuaScript(
  'claim',
  `${IN_TOUCH}
if not in_epoch(KEYS[3], ARGV[6]) then return -1 end
local held = redis.call('HGET', KEYS[1], ARGV[1])
local owner = held and string.match(held, '^[^:]*')
if held and owner ~= ARGV[5] then
  if not in_touch() then return -1 end
  if redis.call('EXISTS', ARGV[3] .. owner) == 1 then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`,
  z.literal([ASK_AGAIN, 0, 1]),
)

/** Answers 1 when the document still is ours, and renews our lease to its whole length. */
const STILL_HELD = new LuaScript(
  'claim still held',
  `${IN_TOUCH}
if not in_epoch(KEYS[3], ARGV[6]) then return -1 end
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[2], redis.call('GET', KEYS[2]) or '0', 'PX', ARGV[4])
return 1
`,
  z.literal([ASK_AGAIN, 0, 1]),
)

const RELEASE = new LuaScript(
  'release claim',
  `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
`,
)

/**
 * Makes the claims of this process exactly those that it holds: Redis may have lost them, or have come back with those
 * that were released since. KEYS: claims. ARGV: process, prefix of process keys, then source key and claim, in turn. A
 * document that another live process has meanwhile is left to it; a claim whose process is gone is free.
 */
const DECLARE = new LuaScript(
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

export interface RedisClaimsOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  readonly lease: ProcessLease
}

/**
 * Fencing: a document is in one worker at a time. A job may come twice (its worker stalled longer than its lock, or
 * two versions of a document were enqueued); the claim may not. It is asked again right before a commit, which then has
 * the time of a whole lease, and the worker that lost it commits nothing.
 */
export class RedisClaims {
  readonly #options: RedisClaimsOptions
  readonly #claimsKey: string
  /** Claims whose release failed, with their source keys. Other processes cannot overwrite them while this one lives. */
  readonly #unreleased = new Map<string, SourceKey>()
  /** What this process holds, whatever Redis remembers. */
  readonly #held = new Map<SourceKey, string>()
  /** Documents that this process is asking for: a second job must not take the first one's claim for a leftover. */
  readonly #asking = new Set<SourceKey>()
  #count = 0

  constructor(options: RedisClaimsOptions) {
    this.#options = options
    this.#claimsKey = `${redisPrefix(options.pipeline)}:claims`
    options.lease.onNewEpoch(() => this.#declare())
    options.lease.onBeat(() => this.#releaseAgain())
  }

  /** Null while another worker, or another job of this one, has the document. */
  async claim(key: SourceKey): Promise<RedisClaim | null> {
    if (this.#held.has(key) || this.#asking.has(key)) return null
    this.#count += 1
    const token = `${this.#options.lease.id}:${this.#count}`
    this.#asking.add(key)
    try {
      await this.#releaseAgain()
      if ((await inTouch(this.#options.lease, () => this.#run(CLAIM, key, token))) !== 1) return null
      this.#held.set(key, token)
    } catch (error) {
      // The script may have run, though its answer did not arrive.
      this.#unreleased.set(token, key)
      throw error
    } finally {
      this.#asking.delete(key)
    }
    return new RedisClaim({
      stillHeld: () => inTouch(this.#options.lease, () => this.#run(STILL_HELD, key, token)),
      release: () => {
        if (this.#held.get(key) === token) this.#held.delete(key)
        return this.#run(RELEASE, key, token)
      },
      letGo: this.#options.lease.hold(),
      remember: () => this.#unreleased.set(token, key),
    })
  }

  #run<Reply>(script: LuaScript<Reply>, key: SourceKey, token: string): Promise<Reply> {
    const { connection, pipeline, lease } = this.#options
    const values = [key, token, processKeyPrefix(pipeline), lease.leaseMs, lease.id, lease.epoch]
    return script.run(connection, [this.#claimsKey, lease.key, lease.epochKey], values)
  }

  /** Releases what could not be released; a release that fails again is tried with the next beat. */
  async #releaseAgain(): Promise<void> {
    const left = [...this.#unreleased].map(async ([token, key]) => {
      await this.#run(RELEASE, key, token)
      this.#unreleased.delete(token)
    })
    await Promise.allSettled(left)
  }

  /**
   * A release may overtake the declaration, which is sent twice where Redis lost its scripts: the second time writes
   * the released claim back. So what was released meanwhile is released again afterwards.
   */
  async #declare(): Promise<void> {
    const { connection, pipeline, lease } = this.#options
    const declared = [...this.#held]
    const values = [lease.id, processKeyPrefix(pipeline), ...declared.flat()]
    await DECLARE.run(connection, [this.#claimsKey], values)
    for (const [key, token] of declared) if (this.#held.get(key) !== token) this.#unreleased.set(token, key)
    await this.#releaseAgain()
  }
}

interface ClaimActions {
  stillHeld(): Promise<unknown>
  release(): Promise<unknown>
  /** This process may be considered dead again, as far as this claim goes. */
  letGo(): void
  /** Redis refused to release it. */
  remember(): void
}

class RedisClaim {
  readonly #actions: ClaimActions
  #releasing: Promise<void> | null = null

  constructor(actions: ClaimActions) {
    this.#actions = actions
  }

  /** False when another worker took the document over. True holds for a whole lease from now. */
  async stillHeld(): Promise<boolean> {
    return (await this.#actions.stillHeld()) === 1
  }

  /** May be called again, whether it failed or not. */
  release(): Promise<void> {
    this.#releasing ??= this.#release()
    return this.#releasing
  }

  async #release(): Promise<void> {
    try {
      await this.#actions.release()
    } catch (error) {
      this.#releasing = null
      this.#actions.remember()
      throw error
    } finally {
      this.#actions.letGo()
    }
  }
}
