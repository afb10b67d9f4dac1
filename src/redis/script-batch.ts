import { z } from 'zod'
import { LuaScript, type RedisClient } from './lua-script.ts'

type Values = readonly (string | number)[]

/** Success with its reply, or failure with a message. */
const REPLIES = z.array(z.tuple([z.literal([0, 1])]).rest(z.unknown()))

/** Errors that make a connection reconnect and retry (`connection.ts`) fail the complete call. */
const RUN_ALL = `
local replies, key, value = {}, 1, 1
while value <= #ARGV do
  local keys, values = {}, {}
  local script, key_count, value_count = scripts[tonumber(ARGV[value])], tonumber(ARGV[value + 1]), tonumber(ARGV[value + 2])
  for i = 1, key_count do keys[i] = KEYS[key + i - 1] end
  for i = 1, value_count do values[i] = ARGV[value + 2 + i] end
  key, value = key + key_count, value + 3 + value_count
  local done, reply = pcall(script, keys, values)
  if done then
    replies[#replies + 1] = { 1, reply }
  else
    local message = type(reply) == 'table' and reply.err or tostring(reply)
    if string.find(message, '^READONLY') or string.find(message, 'MISCONF', 1, true) then error(reply) end
    replies[#replies + 1] = { 0, message }
  end
end
return replies
`

/**
 * Merges several scripts into one, which runs any number of them in one call, in order. Each keeps its own `KEYS` and
 * `ARGV`.
 */
export class MergedScript {
  readonly script: LuaScript<z.infer<typeof REPLIES>>
  readonly #scripts: readonly LuaScript<unknown>[]

  constructor(name: string, scripts: readonly LuaScript<unknown>[]) {
    this.#scripts = scripts
    const parts = this.#scripts.map(({ text }) => `function(KEYS, ARGV)${text}\nend`)
    this.script = new LuaScript(name, `local scripts = {${parts.join(',')}}\n${RUN_ALL}`, REPLIES)
  }

  /** Number of the script in the values of a call. */
  numberOf(script: LuaScript<unknown>): number {
    const index = this.#scripts.indexOf(script)
    if (index === -1) throw new Error(`the script "${script.name}" is not part of "${this.script.name}"`)
    return index + 1
  }
}

interface ScriptCall {
  readonly keys: readonly string[]
  readonly values: Values
  readonly onReply: (reply: unknown) => void
  readonly onError: (error: unknown) => void
}

/** Maximum number of scripts per call: Redis serves no other client during it. */
const MAX_BATCH = 100

/**
 * Batching of scripts: one call is in flight, and later scripts wait for the next batch. Scripts of one step of the
 * event loop share a batch, in their order. After a lost connection the client retries a call unchanged, so each script
 * is idempotent for the same arguments.
 */
export class ScriptBatch {
  readonly #client: RedisClient
  readonly #merged: MergedScript
  #calls: ScriptCall[] = []
  #isSending = false

  constructor(client: RedisClient, merged: MergedScript) {
    this.#client = client
    this.#merged = merged
  }

  /** Like `script.run`. */
  run<Reply>(script: LuaScript<Reply>, keys: readonly string[], values: Values): Promise<Reply> {
    const number = this.#merged.numberOf(script)
    return new Promise((resolve, reject) => {
      const onReply = (reply: unknown): void => {
        try {
          resolve(script.read(reply))
        } catch (error) {
          reject(error)
        }
      }
      this.#calls.push({ keys, values: [number, keys.length, values.length, ...values], onReply, onError: reject })
      if (!this.#isSending) void this.#sendAll()
    })
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    await Promise.resolve()
    while (this.#calls.length > 0) await this.#send(this.#calls.splice(0, MAX_BATCH))
    this.#isSending = false
  }

  async #send(asks: readonly ScriptCall[]): Promise<void> {
    try {
      const keys = asks.flatMap((ask) => ask.keys)
      const values = asks.flatMap((ask) => ask.values)
      const replies = await this.#merged.script.run(this.#client, keys, values)
      if (replies.length !== asks.length) throw new Error('Redis replied to another number of scripts than were sent')
      for (const [index, [done, reply]] of replies.entries()) {
        const ask = asks[index]
        if (done === 1) ask?.onReply(reply ?? null)
        else ask?.onError(new Error(String(reply)))
      }
    } catch (error) {
      for (const ask of asks) ask.onError(error)
    }
  }
}
