import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findRedisServer } from '#src/redis/private-server/server-binary.ts'

const run = promisify(execFile)
const SCRIPT = resolve(import.meta.dirname, '../../support/processes/find-redis.ts')
const UNPRIVILEGED_ID = 65_534

/** A machine without Redis: a PATH that has these programs only. */
const TOOLS = ['sh', 'apt-get', 'dpkg-deb', 'dpkg', 'tar', 'rm']

let folder: string
let cacheDir: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-binary-'))
  cacheDir = join(folder, 'cache')
  await mkdir(join(folder, 'bin'))
  await mkdir(cacheDir)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function givePrograms(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const program = ['/usr/bin', '/bin'].map((dir) => join(dir, name)).find((path) => existsSync(path))
    if (program !== undefined) await symlink(program, join(folder, 'bin', name))
  }
}

async function find(identity: { readonly uid?: number; readonly gid?: number } = {}): Promise<string> {
  const options = { env: { PATH: join(folder, 'bin') }, cwd: folder, ...identity }
  return (await run(process.execPath, [SCRIPT, cacheDir], options)).stdout.trim()
}

/** As root: the unprivileged user 65534, where it can read this checkout. Otherwise the user of this process. */
async function someoneElse(): Promise<{ readonly uid: number; readonly gid: number } | Record<string, never>> {
  if (process.getuid?.() !== 0) return {}
  const unprivileged = { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID }
  const readable = run('sh', ['-c', 'test -r "$0" && test -x "$1"', SCRIPT, process.execPath], unprivileged)
  return readable.then(
    () => unprivileged,
    () => ({}),
  )
}

describe('findRedisServer on a machine without Redis', () => {
  test('names the three remedies when the package archive is missing too', async () => {
    await givePrograms(['sh'])
    const answer = await find()
    expect(answer).toMatch(/^none No Redis: /)
    for (const way of ['REDIS_URL', 'install redis-server', 'apt-get']) expect(answer).toContain(way)
    expect(await readdir(cacheDir)).toEqual([])
  })

  test('fetches one from the package archive as an unprivileged user, once for two concurrent callers', async (context) => {
    if (!existsSync('/usr/bin/apt-get')) context.skip('this machine has no apt-get')
    await givePrograms(TOOLS)
    const identity = await someoneElse()
    await chmod(folder, 0o755)
    if (identity.uid !== undefined) await chown(cacheDir, identity.uid, identity.gid)
    const answers = await Promise.all([find(identity), find(identity)])
    if (answers.every((answer) => answer.startsWith('none'))) context.skip('the package archive cannot be reached')
    const command = join(cacheDir, 'redis-server/usr/bin/redis-server')
    expect(answers).toEqual([`found ${command}`, `found ${command}`])
    expect(await readdir(cacheDir)).toEqual(['redis-server'])
    await rm(join(folder, 'bin/apt-get'))
    expect(await find(identity)).toBe(`found ${command}`)
  })

  test('names the cache folder and its flag when the folder cannot be created', async () => {
    await givePrograms(TOOLS)
    cacheDir = '/proc/nonexistent/cache'
    const answer = await find()
    expect(answer).toMatch(/^none No Redis: the cache folder.*\/proc\/nonexistent/)
    expect(answer).toContain('--cache-dir')
  })

  test('rejects with one sentence that names what to install on a system without apt-get', async () => {
    const search = { cacheDir, platform: 'darwin' as const }
    await givePrograms(TOOLS)
    vi.stubEnv('PATH', join(folder, 'bin'))
    try {
      await expect(findRedisServer(search)).rejects.toThrow(
        'No Redis: install redis-server 6.2 or newer (brew install redis), or set REDIS_URL to a running one.',
      )
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
