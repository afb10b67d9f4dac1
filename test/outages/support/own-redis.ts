import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { findRedisServer } from '#src/redis/private-server/server-binary.ts'
import { probeRedis } from '#src/redis/probe.ts'
import { REDIS_CACHE_DIR } from '../../support/redis.ts'
import { until } from '../../support/wait.ts'

/** A redis-server as an operator runs one: with an append-only file, and restarted only by the test. */
export class OwnRedis implements AsyncDisposable {
  readonly #folder: string
  #child: ChildProcess | null = null

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async start(): Promise<OwnRedis> {
    const redis = new OwnRedis(await mkdtemp(join(tmpdir(), 'sluice-own-')))
    await redis.start()
    return redis
  }

  get url(): string {
    return join(this.#folder, 'redis.sock')
  }

  /** `persistent`: with an append-only file; without, the server reads `dump.rdb` where there is one. */
  async start({ persistent = true }: { readonly persistent?: boolean } = {}): Promise<void> {
    const { command, libraries } = await findRedisServer({ cacheDir: REDIS_CACHE_DIR })
    const listen = ['--port', '0', '--unixsocket', this.url, '--dir', this.#folder]
    const keep = [
      '--appendonly',
      persistent ? 'yes' : 'no',
      '--appendfsync',
      'everysec',
      '--save',
      '',
      '--maxmemory-policy',
      'noeviction',
    ]
    this.#child = spawn(command, [...listen, ...keep], {
      stdio: 'ignore',
      env: { ...process.env, ...(libraries === '' ? {} : { LD_LIBRARY_PATH: libraries }) },
    })
    await until('redis-server answers', 10_000, async () => (await probeRedis(this.url)) === 'ready')
  }

  /** SIGKILL; the data are then those of the append-only file. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
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
    const kept = join(this.#folder, 'kept.rdb')
    await copyFile(join(this.#folder, 'dump.rdb'), kept)
    return async () => {
      await this.kill()
      await this.#forget()
      await copyFile(kept, join(this.#folder, 'dump.rdb'))
      await this.start({ persistent: false })
      await this.#ask((redis) => redis.config('SET', 'appendonly', 'yes'))
    }
  }

  /** Starts another server with a copy of the present data. */
  async copy(): Promise<OwnRedis> {
    await this.#ask((redis) => redis.save())
    const other = new OwnRedis(await mkdtemp(join(tmpdir(), 'sluice-own-')))
    await copyFile(join(this.#folder, 'dump.rdb'), join(other.#folder, 'dump.rdb'))
    await other.start({ persistent: false })
    await other.#ask((redis) => redis.config('SET', 'appendonly', 'yes'))
    return other
  }

  async #forget(): Promise<void> {
    await rm(join(this.#folder, 'appendonlydir'), { recursive: true, force: true })
    await rm(join(this.#folder, 'dump.rdb'), { force: true })
  }

  async #ask(question: (redis: RedisConnection) => Promise<unknown>): Promise<void> {
    const connection = await connectRedis({ url: this.url })
    await question(connection)
    connection.disconnect()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
