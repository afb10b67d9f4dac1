import { hostname } from 'node:os'
import type { Dependency } from '#src/document/dependency.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

/** What a process last reported of a dependency that it could not use. */
export interface ReportedOutage {
  readonly dependency: Dependency
  /** The name of a service in the settings; missing for that of the pipeline. */
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

/** Time to live, milliseconds: a process that is killed does not clear its report. */
const KEPT_MS = 24 * 3_600_000

/**
 * Outages of a pipeline as its processes see them, for `status`, which is a process of its own. A field for each process
 * and dependency; kept after the process ended, because the cause of a halt is what the user needs then.
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

  /** The dependency works: every earlier report of it, by this process or another, is out of date. */
  async clear(of: Subject): Promise<void> {
    const fields = (await this.#client.hkeys(this.#key)).filter((field) => field.endsWith(` ${outageName(of)}`))
    if (fields.length > 0) await this.#client.hdel(this.#key, ...fields)
  }

  async list(): Promise<readonly ReportedOutage[]> {
    const fields = await this.#client.hgetall(this.#key)
    return Object.values(fields).map((value) => JSON.parse(value) as ReportedOutage)
  }
}
