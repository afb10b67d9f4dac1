import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DependencyUnusable } from '#src/document/dependency.ts'
import { describeSystemError } from '#src/kit/describe-system-error.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GuardOptions, LOCK_HELD, type RedisGuard, startGuard } from './guard.ts'
import { type RedisPaths, redisPaths } from './location.ts'
import { forgetServer, rememberServer, knownServer } from './known-server.ts'
import { requestShutdown, probeRedis, untilRedisEnds } from '../probe.ts'
import type { RedisServerBinary, RedisServerSearch } from './server-binary.ts'

export interface EmbeddedRedisOptions extends GuardOptions, Pick<RedisServerSearch, 'proxies'> {
  /** Folder of the data between runs. Processes with the same folder share one server. */
  readonly dataDir: string
  /** Cache of a downloaded redis-server. */
  readonly cacheDir: string
  /** Gets a line about slow steps and about each restart of the server. */
  readonly notify?: (line: string) => void
}

/**
 * Disposal ends the server if this process runs it. Its data stay; another process that uses it starts its own within a
 * second.
 */
export interface EmbeddedRedis extends AsyncDisposable {
  /** Path of the unix socket; `connectRedis` takes it like a REDIS_URL. */
  readonly url: string
}

/**
 * Timeout for a server whose lock another process holds: it is starting, ending, or has another temporary directory.
 */
const LOCK_PATIENCE_MS = 20_000
/** Timeout for the replay of a large append-only file. */
const LOADING_PATIENCE_MS = 600_000
const POLL_MS = 20
const MAX_RESTART_DELAY_MS = 5_000

/**
 * A private, real redis-server for a process without a REDIS_URL. `findRedisServer` finds or downloads it. It listens
 * on a unix socket only, and ends with the process that started it, for any reason.
 *
 * Failover: every process with the same data folder polls the server. When the server is gone, the process that gets
 * the lock restarts it on the same data and the same socket, and every client reconnects. The owner's end and a crash
 * of the server are therefore the same event to all other processes.
 */
export async function openEmbeddedRedis(
  options: EmbeddedRedisOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<EmbeddedRedis> {
  const paths = await redisPaths(options.dataDir)
  const known = await knownServer(paths.dataDir)
  if (known !== null) {
    try {
      return await superviseRedis(paths, known, options, signal)
    } catch (error) {
      // The libraries may be gone, or the machine may be another one.
      signal.throwIfAborted()
      const { serverStarts } = await import('./server-binary.ts')
      if (await serverStarts(known, options.env)) throw error
      await forgetServer(paths.dataDir)
    }
  }
  const { findRedisServer } = await import('./server-binary.ts')
  const binary = await findRedisServer(options, signal)
  const redis = await superviseRedis(paths, binary, options, signal)
  await rememberServer(paths.dataDir, binary)
  return redis
}

async function superviseRedis(
  paths: RedisPaths,
  binary: RedisServerBinary,
  options: EmbeddedRedisOptions,
  signal: AbortSignal,
): Promise<EmbeddedRedis> {
  const keeper = new RedisSupervisor(paths, binary, options)
  try {
    await keeper.untilReady(signal)
  } catch (error) {
    await keeper[Symbol.asyncDispose]()
    throw error
  }
  return { url: paths.socketPath, [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose]() }
}

/** Skips the removal if another process has its server there by now. */
async function removeSocketFolder({ socketPath }: RedisPaths): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const removed = await rmdir(dirname(socketPath)).then(
      () => true,
      () => false,
    )
    if (removed) return
    // The server may end a moment after its guard.
    await sleep(100)
  }
}

class RedisSupervisor implements AsyncDisposable {
  readonly #paths: RedisPaths
  readonly #binary: RedisServerBinary
  readonly #options: EmbeddedRedisOptions
  readonly #closing = new AbortController()
  readonly #loop: Promise<void>
  #guard: RedisGuard | null = null
  /** Exit codes of our own server since its last successful probe. */
  #failures = 0
  /** Before the first answer an exit is not a restart: the caller gets the reason for the failed start. */
  #hasAnswered = false

  constructor(paths: RedisPaths, binary: RedisServerBinary, options: EmbeddedRedisOptions) {
    this.#paths = paths
    this.#binary = binary
    this.#options = options
    this.#loop = this.#supervise()
  }

  async untilReady(stop: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    for (;;) {
      const state = await probeRedis(this.#paths.socketPath)
      this.#hasAnswered ||= state === 'ready'
      if (state === 'ready') return
      if (this.#failures > 0) throw await this.#startError()
      const waitedMs = performance.now() - startedAt
      if (waitedMs > (state === 'loading' ? LOADING_PATIENCE_MS : LOCK_PATIENCE_MS)) throw this.#timeoutError(waitedMs)
      await sleep(POLL_MS, undefined, { signal: stop })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    const wasOurs = this.#guard !== null
    if ((await this.#guard?.hasLock()) === true) requestShutdown(this.#paths.socketPath)
    this.#guard?.end()
    await this.#loop
    if (wasOurs) await removeSocketFolder(this.#paths)
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      if ((await probeRedis(this.#paths.socketPath)) !== 'absent') {
        this.#failures = 0
        await untilRedisEnds(this.#paths.socketPath, signal)
      } else if (!signal.aborted) {
        await this.#runServer()
      }
    }
  }

  async #runServer(): Promise<void> {
    // The former owner of the server removed the folder.
    await mkdir(dirname(this.#paths.socketPath), { recursive: true, mode: 0o700 })
    if (this.#closing.signal.aborted) return
    try {
      this.#guard = startGuard(this.#paths, this.#binary, this.#options)
    } catch {
      // The server cannot open its log: `#startError` explains the reason.
      this.#failures += 1
      return this.#pause()
    }
    const startedAt = performance.now()
    const code = await this.#guard.ended
    this.#guard = null
    if (this.#closing.signal.aborted) return
    if (code !== LOCK_HELD) {
      const livedMs = performance.now() - startedAt
      this.#failures = livedMs > MAX_RESTART_DELAY_MS ? 1 : this.#failures + 1
      if (this.#hasAnswered)
        this.#options.notify?.(
          `redis-server ended with code ${code} and is started again: ${await this.#lastLogLine()}`,
        )
    }
    await this.#pause()
  }

  async #pause(): Promise<void> {
    const delayMs = Math.min(POLL_MS * 2 ** this.#failures, MAX_RESTART_DELAY_MS)
    await sleep(delayMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined)
  }

  async #lastLogLine(): Promise<string> {
    const log = await readFile(this.#paths.logPath, 'utf8').catch(() => '')
    return log.trimEnd().split('\n').at(-1) ?? ''
  }

  /** The system describes a disk without space or inodes more plainly than the server does. */
  async #startError(): Promise<DependencyUnusable> {
    const probe = join(this.#paths.dataDir, `probe-${process.pid}`)
    try {
      await writeFile(probe, 'probe')
      await rm(probe)
      return new DependencyUnusable(`redis-server does not start: ${await this.#lastLogLine()}`)
    } catch (cause) {
      const why = describeSystemError(cause) ?? String(cause)
      return new DependencyUnusable(`the private Redis cannot write ${why}`, { cause })
    }
  }

  #timeoutError(waitedMs: number): DependencyUnusable {
    const { dataDir, socketPath } = this.#paths
    return new DependencyUnusable(
      `the private Redis in ${dataDir} does not answer at ${socketPath} after ${Math.round(waitedMs / 1000)} s: ` +
        'end the process that holds it, or set REDIS_URL',
    )
  }
}
