import { createHash } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'
import { z } from 'zod'

export type RedisClient = Redis | Cluster

/** Of a script that answers nothing. */
const NOTHING = z.null()

/**
 * A script that Redis runs as one step, and the shape of its replies: Lua is not typed, and a reply that is not understood
 * must fail at this border and not as a wrong decision behind it. The script is sent whole only to a server that does
 * not know it yet.
 */
export class LuaScript<Reply = null> {
  readonly name: string
  readonly text: string
  readonly #sha1: string
  readonly #reply: z.ZodType<Reply>

  /** `name` is for errors. `reply` is left out where the script answers nothing. */
  constructor(name: string, text: string, ...reply: [Reply] extends [null] ? [] : [z.ZodType<Reply>]) {
    this.name = name
    this.text = text
    this.#sha1 = createHash('sha1').update(text).digest('hex')
    this.#reply = reply[0] ?? (NOTHING as unknown as z.ZodType<Reply>)
  }

  /** @throws {Error} when the reply has another shape, with the name of the script and of the field */
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
