import { redisPrefix } from '#src/document/pipeline.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

/**
 * End of the last scan of a pipeline's source: a worker that does not scan reports it, even after the scanner ended.
 */
export class RedisScans {
  readonly #client: RedisClient
  readonly #key: string

  constructor(options: { readonly connection: RedisClient; readonly pipeline: string }) {
    this.#client = options.connection
    this.#key = `${redisPrefix(options.pipeline)}:last-scan`
  }

  /** `at`: epoch milliseconds. */
  async recordEnd(at: number): Promise<void> {
    await this.#client.set(this.#key, at)
  }

  /** Epoch milliseconds; null before the first scan, and after Redis lost its data. */
  async lastEndAt(): Promise<number | null> {
    const at = await this.#client.get(this.#key)
    return at === null ? null : Number(at)
  }
}
