import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import { z } from 'zod'
import { processKeyPrefix } from './process-lease.ts'
import { LuaScript, type RedisClient } from '#src/redis/lua-script.ts'

/** A document that a process holds. */
export interface HeldDocument {
  readonly key: SourceKey
  /** Time since its request was sent; null without one in flight. */
  readonly requestMs: number | null
}

/** A process that takes documents, and its work. */
export interface ProcessActivity {
  readonly process: string
  /** Time since its last heartbeat. */
  readonly heartbeatMs: number
  /** At most `MAX_DOCUMENTS`, oldest request first. */
  readonly documents: readonly HeldDocument[]
  /** Number of all documents that it holds. */
  readonly held: number
}

export interface Activity {
  /** Processes with a valid lease. */
  readonly processes: readonly ProcessActivity[]
  /** The spending cap of the queue (`--max-credits`); null without one. */
  readonly cap: { readonly limit: number; readonly spent: number } | null
}

/** Maximum number of listed documents per process. */
const MAX_DOCUMENTS = 20

const texts = z.array(z.string())
/** The time, processes with their last heartbeat, claims, intents and the cap. */
const activityReply = z.tuple([z.number(), texts, texts, texts, texts])
type ActivityReply = z.infer<typeof activityReply>

/**
 * A consistent snapshot, by the clock of Redis. KEYS: epoch, claims, intents, cap. ARGV: prefix of process keys.
 * Returns the time, processes with a valid lease and the time of their last heartbeat, and the three other hashes.
 */
const READ_ACTIVITY = new LuaScript(
  'read activity',
  `
local time = redis.call('TIME')
local alive, fields = {}, redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local process = string.match(fields[i], '^p:(.*)')
  local seen = string.match(fields[i + 1], ':(%d+)$')
  if process and seen and redis.call('EXISTS', ARGV[1] .. process) == 1 then
    alive[#alive + 1] = process
    alive[#alive + 1] = seen
  end
end
return {
  time[1] * 1000 + math.floor(time[2] / 1000), alive,
  redis.call('HGETALL', KEYS[2]), redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4])
}
`,
  activityReply,
)

/** Present work of a pipeline's processes, for a process that only reads: it takes no lease and changes nothing. */
export class RedisActivity {
  readonly #connection: RedisClient
  readonly #pipeline: string

  constructor(options: { readonly connection: RedisClient; readonly pipeline: string }) {
    this.#connection = options.connection
    this.#pipeline = options.pipeline
  }

  async cap(): Promise<Activity['cap']> {
    const fields = await this.#connection.hgetall(`${redisPrefix(this.#pipeline)}:spending:cap`)
    return capOf(Object.entries(fields).flat())
  }

  async read(): Promise<Activity> {
    const prefix = redisPrefix(this.#pipeline)
    const keys = ['epoch', 'claims', 'intents', 'spending:cap'].map((name) => `${prefix}:${name}`)
    return readActivity(await READ_ACTIVITY.run(this.#connection, keys, [processKeyPrefix(this.#pipeline)]))
  }
}

function readActivity([now, alive, claims, intents, cap]: ActivityReply): Activity {
  const sent = new Map(
    pairs(intents).flatMap(([, text]) => {
      const [, owner, at, key] = /^(\S+) (\S+) \S+ (.*)$/s.exec(text) ?? []
      return owner === undefined ? [] : [[`${owner} ${key ?? ''}`, Number(at)] as const]
    }),
  )
  const held = new Map<string, HeldDocument[]>()
  for (const [key, claim] of pairs(claims)) {
    const process = claim.split(':', 1)[0] ?? ''
    const at = sent.get(`${process} ${key}`)
    const documents = held.get(process) ?? []
    documents.push({ key: sourceKey(key), requestMs: at === undefined ? null : Math.max(0, now - at) })
    held.set(process, documents)
  }
  const processes = pairs(alive).map(([process, beatAt]) => {
    const documents = (held.get(process) ?? []).toSorted((a, b) => (b.requestMs ?? -1) - (a.requestMs ?? -1))
    const heartbeatMs = Math.max(0, now - Number(beatAt))
    return { process, heartbeatMs, documents: documents.slice(0, MAX_DOCUMENTS), held: documents.length }
  })
  return { processes: processes.toSorted((a, b) => (a.process < b.process ? -1 : 1)), cap: capOf(cap) }
}

function capOf(flat: readonly string[]): Activity['cap'] {
  const fields = new Map(pairs(flat))
  const limit = fields.get('limit')
  if (limit === undefined) return null
  const prefix = `by ${fields.get('run') ?? ''} `
  const spent = [...fields].reduce((sum, [name, value]) => (name.startsWith(prefix) ? sum + Number(value) : sum), 0)
  return { limit: Number(limit), spent }
}

const pairs = (flat: readonly string[]): (readonly [string, string])[] =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []))
