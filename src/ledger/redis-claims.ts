import type { SourceKey } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import { LuaScript, type RedisClient } from './lua-script.ts'
import { IN_TOUCH, inTouch, type ProcessLease, processKeyPrefix } from './process-lease.ts'

/*
 * A claim is `<process id>:<number>` under the source key in one hash. It stands while its process lives. A dead
 * process's claim is simply overwritten, so nothing has to be cleaned up after a crash.
 *
 * KEYS: claims, own lease. ARGV: source key, own claim, prefix of process keys, lease in ms. Each script may be run
 * again with the same arguments.
 */

/** Answers 1 when the document is ours now. ARGV[5]: a claim of ours that could not be released, or nothing. */
const CLAIM = new LuaScript(`${IN_TOUCH}
local held = redis.call('HGET', KEYS[1], ARGV[1])
if held and held ~= ARGV[2] and held ~= ARGV[5] then
  if not in_touch() then return -1 end
  local owner = string.match(held, '^[^:]*')
  if redis.call('EXISTS', ARGV[3] .. owner) == 1 then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`)

/** Answers 1 when the document still is ours, and prolongs our sign of life to a whole lease. */
const STILL_HELD = new LuaScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[2], redis.call('GET', KEYS[2]) or '0', 'PX', ARGV[4])
return 1
`)

const RELEASE = new LuaScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
`)

export interface RedisClaimsOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  readonly lease: ProcessLease
}

/**
 * The fence: a document is in one worker at a time. A job may come twice (its worker froze for longer than its lock, or
 * two versions of a document were enqueued); the claim may not. It is asked again right before a commit, which then has
 * the time of a whole lease, and the worker that lost it commits nothing.
 */
export class RedisClaims {
  readonly #options: RedisClaimsOptions
  readonly #claimsKey: string
  /** What Redis refused to release: it would keep its document from everybody for as long as this process lives. */
  readonly #unreleased = new Map<SourceKey, string>()
  #count = 0

  constructor(options: RedisClaimsOptions) {
    this.#options = options
    this.#claimsKey = `${redisPrefix(options.pipeline)}:claims`
  }

  /** Null while another worker, or another job of this one, has the document. */
  async claim(key: SourceKey): Promise<RedisClaim | null> {
    this.#count += 1
    const token = `${this.#options.lease.id}:${this.#count}`
    if ((await inTouch(this.#options.lease, () => this.#run(CLAIM, key, token))) !== 1) return null
    this.#unreleased.delete(key)
    return new RedisClaim(
      (script) => this.#run(script, key, token),
      this.#options.lease.hold(),
      () => this.#unreleased.set(key, token),
    )
  }

  #run(script: LuaScript, key: SourceKey, token: string): Promise<unknown> {
    const { connection, pipeline, lease } = this.#options
    const left = this.#unreleased.get(key) ?? ''
    const values = [key, token, processKeyPrefix(pipeline), lease.leaseMs, left]
    return script.run(connection, [this.#claimsKey, lease.key], values)
  }
}

class RedisClaim {
  readonly #run: (script: LuaScript) => Promise<unknown>
  readonly #letGo: () => void
  readonly #remember: () => void
  #releasing: Promise<void> | null = null

  constructor(run: (script: LuaScript) => Promise<unknown>, letGo: () => void, remember: () => void) {
    this.#run = run
    this.#letGo = letGo
    this.#remember = remember
  }

  /** False when another worker took the document over. True holds for a whole lease from now. */
  async stillHeld(): Promise<boolean> {
    return (await this.#run(STILL_HELD)) === 1
  }

  /** May be called again, whether it failed or not. */
  release(): Promise<void> {
    this.#releasing ??= this.#release()
    return this.#releasing
  }

  async #release(): Promise<void> {
    try {
      await this.#run(RELEASE)
    } catch (error) {
      this.#releasing = null
      this.#remember()
      throw error
    } finally {
      this.#letGo()
    }
  }
}
