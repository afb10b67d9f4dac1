import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRedisServer } from '#src/queue/redis-server-binary.ts'
import { probeRedis } from '#src/queue/redis-probe.ts'
import { REDIS_CACHE_DIR, until } from '../../support/redis.ts'

/** A redis-server as an operator runs one: with an append-only file, and started again by nobody but the test. */
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

  async start(): Promise<void> {
    const { command, libraries } = await findRedisServer({ cacheDir: REDIS_CACHE_DIR })
    const listen = ['--port', '0', '--unixsocket', this.url, '--dir', this.#folder]
    const keep = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction']
    this.#child = spawn(command, [...listen, ...keep], {
      stdio: 'ignore',
      env: { ...process.env, ...(libraries === '' ? {} : { LD_LIBRARY_PATH: libraries }) },
    })
    await until('redis-server answers', 10_000, async () => (await probeRedis(this.url)) === 'ready')
  }

  /** SIGKILL; its data are what the append-only file holds. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
