import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { OwnRedis } from '../../outages/support/own-redis.ts'
import { Line } from '../../support/line.ts'

/** A Redis that can lose what it holds in every way there is, and a line to it for each process. */
export class FaultRedis implements AsyncDisposable {
  readonly #folder: string
  readonly #lines = new Set<Line>()
  #server: OwnRedis
  #connection: RedisConnection | null = null
  #opened = 0

  private constructor(folder: string, server: OwnRedis) {
    this.#folder = folder
    this.#server = server
  }

  static async start(): Promise<FaultRedis> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-line-'))
    const redis = new FaultRedis(folder, await OwnRedis.start())
    redis.#connection = await connectRedis({ url: redis.line().url })
    return redis
  }

  /** The campaign's own; it comes again by itself. */
  get connection(): RedisConnection {
    if (this.#connection === null) throw new Error('Redis is not started')
    return this.#connection
  }

  /** A line of its own for one process. */
  line(): Line {
    this.#opened += 1
    const line = new Line(join(this.#folder, `${this.#opened}.sock`), () => this.#server.url)
    this.#lines.add(line)
    return line
  }

  async close(line: Line): Promise<void> {
    this.#lines.delete(line)
    await line[Symbol.asyncDispose]()
  }

  /** SIGKILL, and a start on the same append-only file. */
  async killServer(): Promise<void> {
    await this.#server.kill()
    await this.#server.start()
  }

  async flush(): Promise<void> {
    await this.connection.flushall()
  }

  async restartEmpty(): Promise<void> {
    await this.#server.restartEmpty()
  }

  /** What it holds now; the answer brings it back by a restart. */
  async snapshot(): Promise<() => Promise<void>> {
    return this.#server.snapshot()
  }

  /** A replica that has what is held now, and hears of nothing later; the answer makes it the master. */
  async laggingReplica(): Promise<() => Promise<void>> {
    const replica = await this.#server.copy()
    return async () => {
      const master = this.#server
      this.#server = replica
      for (const line of this.#lines) line.reset()
      await master[Symbol.asyncDispose]()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection?.disconnect()
    for (const line of this.#lines) await this.close(line)
    await this.#server[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
