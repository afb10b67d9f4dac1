import { redisPrefix } from '#src/document/pipeline.ts'
import type { PageShare } from '#src/ports/page-share.ts'
import { z } from 'zod'
import { LuaScript, type RedisClient } from '#src/redis/lua-script.ts'

/**
 * KEYS: pages of this pipeline. ARGV: pages of the document, pages wanted, share. Returns the number of pages to buy.
 */
const GRANT = new LuaScript(
  'grant pages',
  `
local counted = redis.call('HINCRBY', KEYS[1], 'counted', ARGV[1])
local bought = tonumber(redis.call('HGET', KEYS[1], 'bought') or '0')
local left = math.floor(counted * tonumber(ARGV[3]) + 1e-9) - bought
local granted = math.max(0, math.min(tonumber(ARGV[2]), left))
redis.call('HINCRBY', KEYS[1], 'bought', granted)
return granted
`,
  z.number(),
)

/** `PageShare` in Redis. After a loss of Redis, the share counts from zero. */
export class RedisPageShare implements PageShare {
  readonly #client: RedisClient
  readonly #key: string

  constructor({ connection, pipeline }: { readonly connection: RedisClient; readonly pipeline: string }) {
    this.#client = connection
    this.#key = `${redisPrefix(pipeline)}:pages`
  }

  async grant({ counted, wanted, share }: Parameters<PageShare['grant']>[0]): Promise<number> {
    if (share >= 1) return wanted
    return GRANT.run(this.#client, [this.#key], [counted, wanted, share])
  }
}
