import { hostname } from 'node:os'
import type { Dependency } from '#src/document/dependency.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

/** Last report of a process about a dependency in an outage. */
export interface ReportedOutage {
  readonly dependency: Dependency
  /** Name of a service in the settings; absent for that of the pipeline. */
  readonly service?: string
  readonly cause: string
  /** Epoch milliseconds. */
  readonly since: number
  /** Process that reported it: `host:pid`. */
  readonly by: string
}

interface Subject {
  readonly dependency: Dependency
  readonly service?: string | undefined
}

/** `store`, `service:gpu`. */
export const outageName = ({ dependency, service }: Subject): string =>
  service === undefined ? dependency : `${dependency}:${service}`

/** TTL in milliseconds: a killed process does not clear its report. */
const KEPT_MS = 24 * 3_600_000

/**
 * Outages of a pipeline as its processes report them, for the separate process of `status`. It has a field per process
 * and dependency. Fields outlive their process, because the user needs the cause of a halt then.
 */
export class RedisOutages {
  readonly #client: RedisClient
  readonly #key: string
  readonly #by = `${hostname()}:${process.pid}`

  constructor(options: { readonly connection: RedisClient; readonly pipeline: string }) {
    this.#client = options.connection
    this.#key = `${redisPrefix(options.pipeline)}:outages`
  }

  async report(outage: Omit<ReportedOutage, 'by'>): Promise<void> {
    const field = `${this.#by} ${outageName(outage)}`
    await this.#client.hset(this.#key, field, JSON.stringify({ ...outage, by: this.#by }))
    await this.#client.pexpire(this.#key, KEPT_MS)
  }

  /** The dependency works: clears every earlier report of it, by any process. */
  async clear(of: Subject): Promise<void> {
    const fields = (await this.#client.hkeys(this.#key)).filter((field) => field.endsWith(` ${outageName(of)}`))
    if (fields.length > 0) await this.#client.hdel(this.#key, ...fields)
  }

  async list(): Promise<readonly ReportedOutage[]> {
    const fields = await this.#client.hgetall(this.#key)
    return Object.values(fields).map((value) => JSON.parse(value) as ReportedOutage)
  }
}
