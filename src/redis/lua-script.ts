import { createHash } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'
import { z } from 'zod'

export type RedisClient = Redis | Cluster

/** Reply of a script without a result. */
const NOTHING = z.null()

/**
 * A script that Redis runs atomically, and the schema of its replies. Lua is untyped, so an unexpected reply must fail
 * at this border, not later as a wrong decision. The client sends the full text only to a server that does not have it
 * in its script cache.
 */
export class LuaScript<Reply = null> {
  readonly name: string
  readonly text: string
  readonly #sha1: string
  readonly #reply: z.ZodType<Reply>

  /** `name` appears in errors. A script without a result omits `reply`. */
  constructor(name: string, text: string, ...reply: [Reply] extends [null] ? [] : [z.ZodType<Reply>]) {
    this.name = name
    this.text = text
    this.#sha1 = createHash('sha1').update(text).digest('hex')
    this.#reply = reply[0] ?? (NOTHING as unknown as z.ZodType<Reply>)
  }

  /** @throws {Error} if the reply has another shape, with the name of the script and of the field */
  async run(client: RedisClient, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply> {
    return this.read(await this.#eval(client, keys, values))
  }

  /** @throws {Error} as `run` */
  read(given: unknown): Reply {
    const reply = this.#reply.safeParse(given)
    if (reply.success) return reply.data
    throw new Error(
      `the Redis script "${this.name}" gave a reply of another shape: ${z.prettifyError(reply.error)}. ` +
        'Stop processes of other releases of Sluice on this Redis; if there are none, report this as a bug',
    )
  }

  async #eval(client: RedisClient, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    try {
      return await client.evalsha(this.#sha1, keys.length, ...keys, ...values)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return client.eval(this.text, keys.length, ...keys, ...values)
    }
  }
}
