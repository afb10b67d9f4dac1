import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DebianFetch, fetchDebianRedis } from '#src/redis/private-server/debian-packages.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/* Processes that fetch a server into the same folder at the same time. The package archive is two scripts. */

const never = new AbortController().signal

const SCRIPTS = {
  'apt-get': 'echo > redis-server.deb',
  'dpkg-deb': 'mkdir -p "$3" && echo > "$3/whole"',
}

async function archiveIn(folder: string): Promise<Pick<DebianFetch, 'env'>> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  for (const [name, lines] of Object.entries(SCRIPTS)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${lines}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } }
}

const isWhole = async (folder: string): Promise<boolean> => existsSync(join(folder, 'whole'))

test('a redis-server fetched meanwhile by another process stays in place', async () => {
  await using temp = await tempFolder()
  const archive = await archiveIn(temp.path)
  const folder = join(temp.path, 'redis')
  let put: number | null = null
  const works = async (asked: string): Promise<boolean> => {
    const found = await isWhole(asked)
    if (put !== null || found) return found
    await fetchDebianRedis(folder, { ...archive, works: isWhole }, never)
    put = (await stat(folder)).ino
    return found
  }
  await mkdir(folder)
  await writeFile(join(folder, 'half'), '')
  await fetchDebianRedis(folder, { ...archive, works: async (asked) => asked !== folder || works(asked) }, never)
  expect([await isWhole(folder), (await stat(folder)).ino]).toEqual([true, put])
}, 240_000)

test('concurrent processes that find a broken redis-server replace it, and none fails', async () => {
  await using temp = await tempFolder()
  const archive = await archiveIn(temp.path)
  const folder = join(temp.path, 'redis')
  await mkdir(folder)
  await writeFile(join(folder, 'half'), '')
  // In the moment after a process saw that it is broken, and before it moves it away, another one does the same.
  let others = 4
  const works = async (asked: string): Promise<boolean> => {
    const found = await isWhole(asked)
    if (asked === folder && !found && others > 0) {
      others -= 1
      await fetchDebianRedis(folder, { ...archive, works }, never)
    }
    return found
  }
  await fetchDebianRedis(folder, { ...archive, works }, never)
  expect(await isWhole(folder)).toBe(true)
  expect((await readdir(temp.path)).toSorted()).toEqual(['bin', 'redis'])
}, 240_000)
