import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '#src/kit/make-folder.ts'
import { fetchDebianRedis } from '#src/redis/private-server/debian-packages.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('makeFolder', () => {
  test('creates folders for concurrent callers, with the given mode', async () => {
    await using folder = await tempFolder()
    const path = join(folder.path, 'a/b/c')
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(path, { mode: 0o700 })))
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  })

  test('fails when a file has the name', async () => {
    await using folder = await tempFolder()
    await writeFile(join(folder.path, 'a'), '')
    await expect(makeFolder(join(folder.path, 'a'))).rejects.toThrow('is not a folder')
    await expect(makeFolder(join(folder.path, 'a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  test.runIf(process.platform === 'linux')('fails when the file system accepts no new names', async () => {
    await expect(makeFolder('/proc/nothing/here')).rejects.toMatchObject({ code: 'ENOENT' })
    const works = async (): Promise<boolean> => false
    const signal = AbortSignal.timeout(5_000)
    await expect(fetchDebianRedis('/proc/nothing/redis', { works }, signal)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
