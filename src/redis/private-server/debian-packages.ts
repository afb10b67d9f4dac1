import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '#src/kit/make-folder.ts'
import { runProgram } from './run-program.ts'

/** Timeout of one step of the download; the packages are 1.4 MB, the package lists some 10 MB. */
const STEP_MS = 120_000

/** Timeouts of a silent mirror, far below that of the step. */
const IMPATIENT = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::https::Timeout=20', '-o', 'Acquire::Retries=1']

/** `redis-server` is a link to a file of `redis-tools`; the others are libraries that a small Debian lacks. */
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1']

/** Libraries that only the smallest images lack. */
const RARELY_MISSING = ['libssl3', 'libsystemd0', 'libstdc++6']

export interface DebianFetch {
  /** Environment of the child programs; default: that of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** They may hold logins, so apt reads them from a file that only its user may read. */
  readonly proxies?: { readonly http: string | null; readonly https: string | null } | null
  /** True if an unpacked server starts. */
  readonly works: (folder: string) => Promise<boolean>
}

/**
 * Downloads the Debian packages of redis-server with apt's own client, which verifies their signatures, and unpacks
 * them into `folder`. Needs no root, package lists or write access outside `folder`'s parent.
 *
 * Atomic: it unpacks next to `folder` and renames, so a concurrent process finds a complete folder, ours or its own.
 */
export async function fetchDebianRedis(folder: string, options: DebianFetch, signal: AbortSignal): Promise<void> {
  const { works } = options
  await makeFolder(dirname(folder))
  const scratch = await mkdtemp(`${folder}.`)
  try {
    const unpacked = join(scratch, 'unpacked')
    const programs = { ...options, scratch, configuration: await aptConfiguration(scratch, options) }
    await fetchInto(unpacked, PACKAGES, programs, signal)
    if (!(await works(unpacked))) await fetchInto(unpacked, RARELY_MISSING, programs, signal)
    await moveTo(unpacked, { folder, scratch, works })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Concurrent processes may each move a broken folder away in turn: more attempts than this have another cause. */
const MAX_TRIES = 8

/** Keeps a working folder, because a server may just be starting from it. Moves only a broken one away. */
async function moveTo(
  unpacked: string,
  { folder, scratch, works }: Pick<DebianFetch, 'works'> & { readonly folder: string; readonly scratch: string },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(unpacked, folder)
    } catch (error) {
      if (await works(folder)) return
      if (!isTaken(error) || tries === MAX_TRIES) throw error
    }
    const broken = join(scratch, `broken-${tries}`)
    await rename(folder, broken).catch(() => undefined)
    // Another process replaced it right before.
    if (await works(broken)) await rename(broken, folder).catch(() => undefined)
  }
}

const isTaken = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Folder of the unpacked libraries under `folder`, or null if it is absent. */
export async function cachedLibraries(folder: string): Promise<string | null> {
  const names = await readdir(join(folder, 'usr/lib')).catch(() => [])
  const triplet = names.find((name) => name.includes('-linux-'))
  return triplet === undefined ? null : join(folder, 'usr/lib', triplet)
}

interface Programs extends Pick<DebianFetch, 'env'> {
  readonly scratch: string
  /** Path of a configuration file for apt. */
  readonly configuration: string
}

async function aptConfiguration(scratch: string, { proxies }: DebianFetch): Promise<string> {
  const path = join(scratch, 'apt.conf')
  const lines = (['http', 'https'] as const).flatMap((scheme) => {
    const proxy = proxies?.[scheme] ?? null
    return proxy === null ? [] : [`Acquire::${scheme}::Proxy "${proxy.replaceAll(/["\\\n]/g, encodeURIComponent)}";\n`]
  })
  await writeFile(path, lines.join(''), { mode: 0o600 })
  return path
}

async function fetchInto(
  unpacked: string,
  packages: readonly string[],
  programs: Programs,
  signal: AbortSignal,
): Promise<void> {
  const { env, scratch } = programs
  const downloads = join(scratch, 'debs')
  await rm(downloads, { recursive: true, force: true })
  await mkdir(downloads, { recursive: true })
  await download(packages, downloads, programs, signal)
  for (const file of await readdir(downloads)) {
    if (file.endsWith('.deb')) {
      const limits = { timeoutMs: STEP_MS, ...(env === undefined ? {} : { env }) }
      await runProgram('dpkg-deb', ['-x', join(downloads, file), unpacked], limits, signal)
    }
  }
}

/** Uses the package lists of the machine if they are good, else its own lists. */
async function download(
  packages: readonly string[],
  cwd: string,
  { scratch, configuration, env }: Programs,
  signal: AbortSignal,
): Promise<void> {
  const limits = { timeoutMs: STEP_MS, ...(env === undefined ? {} : { env }) }
  const aptGet = (...args: string[]): Promise<void> =>
    runProgram('apt-get', ['-q', '-c', configuration, ...IMPATIENT, ...args], { ...limits, cwd }, signal)
  const get = (...options: string[]): Promise<void> => aptGet(...options, 'download', ...packages)
  try {
    await get('-o', 'APT::Sandbox::User=')
  } catch {
    signal.throwIfAborted()
    const listOptions = await ownListOptions(scratch)
    await aptGet(...listOptions, 'update')
    await get(...listOptions)
  }
}

async function ownListOptions(scratch: string): Promise<string[]> {
  const state = join(scratch, 'state')
  const cache = join(scratch, 'cache')
  await mkdir(join(state, 'lists/partial'), { recursive: true })
  await mkdir(join(cache, 'archives/partial'), { recursive: true })
  const settings = [
    `Dir::State=${state}`,
    `Dir::State::lists=${join(state, 'lists')}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${cache}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
  ]
  return settings.flatMap((setting) => ['-o', setting])
}
