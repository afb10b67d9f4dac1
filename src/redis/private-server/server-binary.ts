import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describeSystemError } from '#src/kit/describe-system-error.ts'
import { makeFolder } from '#src/kit/make-folder.ts'
import { DependencyUnusable } from '#src/document/dependency.ts'
import { cachedLibraries, type DebianFetch, fetchDebianRedis } from './debian-packages.ts'

const run = promisify(execFile)

/** A redis-server (or valkey-server) that has started on this machine. */
export interface RedisServerBinary {
  readonly command: string
  /** Folder of shared libraries that it needs in addition to the system's; empty for none. */
  readonly libraries: string
}

export interface RedisServerSearch extends Pick<DebianFetch, 'env' | 'proxies'> {
  /** Kept between runs; holds a downloaded server. */
  readonly cacheDir: string
  /** Gets a line about slow steps. */
  readonly notify?: (line: string) => void
  /** Default: this one. */
  readonly platform?: NodeJS.Platform
}

/** A server prints its version at once; any other program does not count. */
const VERSION_LIMITS = { timeout: 10_000, killSignal: 'SIGKILL' } as const

/** Oldest server that BullMQ recommends. */
const OLDEST = { major: 6, minor: 2 }

/**
 * Finds a server: on PATH, else in our cache, else downloads one from Debian's archive into the cache, without root or
 * an installation. Throws one error with the three remedies if it finds none.
 */
export async function findRedisServer(
  search: RedisServerSearch,
  signal: AbortSignal = new AbortController().signal,
): Promise<RedisServerBinary> {
  for (const command of ['redis-server', 'valkey-server']) {
    const found = onPath(command, search.env)
    const binary = { command: found ?? command, libraries: '' }
    if (found !== null && (await serverStarts(binary, search.env))) return binary
  }
  const { platform = process.platform } = search
  if (platform !== 'linux') {
    const how = platform === 'darwin' ? 'brew install redis' : 'it must be on PATH'
    throw new DependencyUnusable(
      `No Redis: install redis-server 6.2 or newer (${how}), or set REDIS_URL to a running one.`,
    )
  }
  const folder = join(search.cacheDir, 'redis-server')
  const cached = await binaryIn(folder, search.env)
  if (cached !== null) return cached
  await makeFolder(search.cacheDir).catch((cause: unknown) => {
    throw new DependencyUnusable(
      `No Redis: the cache folder for a fetched redis-server cannot be made: ${describeSystemError(cause) ?? String(cause)} ` +
        'Name another with --cache-dir, set REDIS_URL to a running Redis, or install redis-server.',
      { cause },
    )
  })
  try {
    search.notify?.('fetching redis-server (1.4 MB) from the package archive, once')
    const works = async (candidate: string) => (await binaryIn(candidate, search.env)) !== null
    await fetchDebianRedis(folder, { ...search, works }, signal)
    const fetched = await binaryIn(folder, search.env)
    if (fetched !== null) return fetched
    throw new Error(`the fetched redis-server in ${folder} does not start`)
  } catch (cause) {
    signal.throwIfAborted()
    throw new DependencyUnusable(
      'No Redis: set REDIS_URL to a running one, or install redis-server (on Debian: apt-get install redis-server), ' +
        `or run where apt-get can fetch it by itself (${cause instanceof Error ? cause.message : String(cause)}).`,
      { cause },
    )
  }
}

async function binaryIn(folder: string, env: RedisServerSearch['env']): Promise<RedisServerBinary | null> {
  const libraries = await cachedLibraries(folder)
  if (libraries === null) return null
  const binary = { command: join(folder, 'usr/bin/redis-server'), libraries }
  return (await serverStarts(binary, env)) ? binary : null
}

/**
 * Resolves the path here: spawning an absent program costs as much as spawning a present one. Without `env` it spawns
 * directly.
 */
function onPath(command: string, env: RedisServerSearch['env']): string | null {
  if (env?.['PATH'] === undefined) return command
  const candidates = env['PATH'].split(delimiter).map((folder) => join(folder, command))
  return candidates.find((path) => existsSync(path)) ?? null
}

/** True if it prints a recent enough version. */
export async function serverStarts(binary: RedisServerBinary, env: RedisServerSearch['env']): Promise<boolean> {
  const script = '[ -z "$1" ] || export LD_LIBRARY_PATH="$1"; exec "$2" --version'
  try {
    const { stdout } = await run('sh', ['-c', script, 'sh', binary.libraries, binary.command], {
      ...VERSION_LIMITS,
      ...(env === undefined ? {} : { env }),
    })
    const [, major, minor] = /v=(\d+)\.(\d+)/.exec(stdout) ?? []
    const version = { major: Number(major ?? 0), minor: Number(minor ?? 0) }
    return version.major > OLDEST.major || (version.major === OLDEST.major && version.minor >= OLDEST.minor)
  } catch {
    return false
  }
}
