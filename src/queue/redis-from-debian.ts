import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runProgram } from './run-program.ts'

/** For one step of the download; the packages are 1.4 MB, the package lists some 10 MB. */
const STEP_MS = 120_000

/** A mirror that does not answer is given up long before the step is. */
const IMPATIENT = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::https::Timeout=20', '-o', 'Acquire::Retries=1']

/** `redis-server` is a link to a file of `redis-tools`; the rest are libraries that a small Debian lacks. */
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1']

/** Libraries that all but the smallest images have. */
const RARELY_MISSING = ['libssl3', 'libsystemd0', 'libstdc++6']

/**
 * Downloads the Debian packages of redis-server with apt's own client (which checks their signatures) and unpacks them
 * into `folder`. Needs neither root nor package lists nor write access outside `folder`'s parent.
 *
 * Whole or not at all: it is unpacked beside `folder` and renamed, so a process that does the same at the same time
 * finds a whole one, ours or its own. `works` says whether an unpacked server starts.
 */
export async function fetchDebianRedis(
  folder: string,
  works: (folder: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const workshop = await mkdtemp(`${folder}.`)
  try {
    const unpacked = join(workshop, 'unpacked')
    await fetchInto(unpacked, PACKAGES, workshop, signal)
    if (!(await works(unpacked))) await fetchInto(unpacked, RARELY_MISSING, workshop, signal)
    if (await works(folder)) return
    await rename(folder, join(workshop, 'broken')).catch(() => undefined)
    await rename(unpacked, folder).catch(async (error: unknown) => {
      if (!(await works(folder))) throw error
    })
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/** Folder of the unpacked libraries under `folder`, or null when nothing is unpacked there. */
export async function cachedLibraries(folder: string): Promise<string | null> {
  const names = await readdir(join(folder, 'usr/lib')).catch(() => [])
  const triplet = names.find((name) => name.includes('-linux-'))
  return triplet === undefined ? null : join(folder, 'usr/lib', triplet)
}

async function fetchInto(
  unpacked: string,
  packages: readonly string[],
  workshop: string,
  signal: AbortSignal,
): Promise<void> {
  const downloads = join(workshop, 'debs')
  await rm(downloads, { recursive: true, force: true })
  await mkdir(downloads, { recursive: true })
  await download(packages, downloads, workshop, signal)
  for (const file of await readdir(downloads)) {
    if (file.endsWith('.deb')) {
      await runProgram('dpkg-deb', ['-x', join(downloads, file), unpacked], { timeoutMs: STEP_MS }, signal)
    }
  }
}

/** With the machine's package lists when it has good ones, else with lists of our own. */
async function download(
  packages: readonly string[],
  cwd: string,
  workshop: string,
  signal: AbortSignal,
): Promise<void> {
  const aptGet = (...args: string[]): Promise<void> =>
    runProgram('apt-get', ['-q', ...IMPATIENT, ...args], { cwd, timeoutMs: STEP_MS }, signal)
  const get = (...options: string[]): Promise<void> => aptGet(...options, 'download', ...packages)
  try {
    await get('-o', 'APT::Sandbox::User=')
  } catch {
    signal.throwIfAborted()
    const own = await ownListOptions(workshop)
    await aptGet(...own, 'update')
    await get(...own)
  }
}

async function ownListOptions(workshop: string): Promise<string[]> {
  const state = join(workshop, 'state')
  const cache = join(workshop, 'cache')
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
