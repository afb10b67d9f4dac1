import type { ChildProcess } from 'node:child_process'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { probeRedis } from '#src/redis/probe.ts'
import { endProcess } from '../../support/child.ts'
import { spawnRedisServer } from '../../support/redis.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait.ts'

/** A redis-server as an operator runs one: with an append-only file, and restarted only by the test. */
export class OwnRedis implements AsyncDisposable {
  readonly #folder: TempFolder
  #child: ChildProcess | null = null

  private constructor(folder: TempFolder) {
    this.#folder = folder
  }

  static async start(): Promise<OwnRedis> {
    const redis = new OwnRedis(await tempFolder())
    await redis.start()
    return redis
  }

  get url(): string {
    return join(this.#folder.path, 'redis.sock')
  }

  /** `persistent`: with an append-only file; without, the server reads `dump.rdb` where there is one. */
  async start({ persistent = true }: { readonly persistent?: boolean } = {}): Promise<void> {
    const listen = ['--port', '0', '--unixsocket', this.url, '--dir', this.#folder.path]
    const keep = ['--appendonly', persistent ? 'yes' : 'no', '--appendfsync', 'everysec', '--save', '']
    this.#child = await spawnRedisServer([...listen, ...keep, '--maxmemory-policy', 'noeviction'])
    await until('redis-server answers', 10_000, async () => (await probeRedis(this.url)) === 'ready')
  }

  /** SIGKILL; the data are then those of the append-only file. */
  async kill(): Promise<void> {
    if (this.#child !== null) await endProcess(this.#child)
    this.#child = null
  }

  /** SIGSTOP: it keeps its connections and answers nothing, until it is killed. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  /** Deletes all data without breaking a connection. */
  async flush(): Promise<void> {
    await this.#ask((redis) => redis.flushall())
  }

  /** A restart without persistence. */
  async restartEmpty(): Promise<void> {
    await this.kill()
    await this.#forget()
    await this.start()
  }

  /** Takes a snapshot, and returns a function that restores it by a restart. */
  async snapshot(): Promise<() => Promise<void>> {
    await this.#ask((redis) => redis.save())
    const kept = join(this.#folder.path, 'kept.rdb')
    await copyFile(join(this.#folder.path, 'dump.rdb'), kept)
    return async () => {
      await this.kill()
      await this.#forget()
      await copyFile(kept, join(this.#folder.path, 'dump.rdb'))
      await this.start({ persistent: false })
      await this.#ask((redis) => redis.config('SET', 'appendonly', 'yes'))
    }
  }

  /** Starts another server with a copy of the present data. */
  async copy(): Promise<OwnRedis> {
    await this.#ask((redis) => redis.save())
    const other = new OwnRedis(await tempFolder())
    await copyFile(join(this.#folder.path, 'dump.rdb'), join(other.#folder.path, 'dump.rdb'))
    await other.start({ persistent: false })
    await other.#ask((redis) => redis.config('SET', 'appendonly', 'yes'))
    return other
  }

  async #forget(): Promise<void> {
    await rm(join(this.#folder.path, 'appendonlydir'), { recursive: true, force: true })
    await rm(join(this.#folder.path, 'dump.rdb'), { force: true })
  }

  async #ask(question: (redis: RedisConnection) => Promise<unknown>): Promise<void> {
    const connection = await connectRedis({ url: this.url })
    await question(connection)
    connection.disconnect()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.#folder[Symbol.asyncDispose]()
  }
}
