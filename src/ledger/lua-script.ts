import { createHash } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'

export type RedisClient = Redis | Cluster

/** A script that Redis runs as one step. It is sent whole only to a server that does not know it yet. */
export class LuaScript {
  readonly #text: string
  readonly #sha1: string

  constructor(text: string) {
    this.#text = text
    this.#sha1 = createHash('sha1').update(text).digest('hex')
  }

  async run(client: RedisClient, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    try {
      return await client.evalsha(this.#sha1, keys.length, ...keys, ...values)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return client.eval(this.#text, keys.length, ...keys, ...values)
    }
  }
}
