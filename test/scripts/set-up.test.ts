import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const SCRIPTS = resolve(import.meta.dirname, '../../scripts')
const run = promisify(execFile)

interface Checkout {
  readonly setUp: (...flags: string[]) => Promise<string>
  readonly calls: () => Promise<number>
  /** The command line of npm's last call. */
  readonly lastCall: () => Promise<string>
}

/** A checkout whose npm is a program that notes its calls and takes a moment. Nothing is downloaded. */
async function checkout(folder: string, npm = 'sleep 0.3'): Promise<Checkout> {
  await mkdir(join(folder, 'bin'), { recursive: true })
  await cp(SCRIPTS, join(folder, 'scripts'), { recursive: true })
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: {} }))
  await symlink(process.execPath, join(folder, 'bin/node'))
  await writeFile(join(folder, 'bin/npm'), `#!/bin/sh\necho "$@" >>'${folder}/calls'\n${npm}\n`)
  await chmod(join(folder, 'bin/npm'), 0o755)
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder }
  return {
    setUp: async (...flags) => (await run('/bin/sh', [join(folder, 'scripts/setup.sh'), ...flags], { env })).stderr,
    calls: async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n').length,
    lastCall: async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n').at(-1) ?? '',
  }
}

describe('the set-up', () => {
  test('installs once, and is silent when nothing is missing', async () => {
    await using folder = await tempFolder()
    const { setUp, calls } = await checkout(folder.path)
    expect(await setUp()).toMatch(/installing packages[\s\S]*set up/)
    expect(await setUp()).toBe('')
    expect(await calls()).toBe(1)
  })

  test('installs again when the lockfile changed', async () => {
    await using folder = await tempFolder()
    const { setUp, calls } = await checkout(folder.path)
    await setUp()
    await writeFile(join(folder.path, 'package-lock.json'), JSON.stringify({ packages: {}, changed: true }))
    await setUp()
    expect(await calls()).toBe(2)
  })

  test('installs once when two start at the same time', async () => {
    await using folder = await tempFolder()
    const { setUp, calls } = await checkout(folder.path)
    await Promise.all([setUp(), setUp()])
    expect(await calls()).toBe(1)
  })

  test('installs the development tools only on request, and keeps them', async () => {
    await using folder = await tempFolder()
    const { setUp, calls, lastCall } = await checkout(folder.path)
    await setUp()
    expect(await lastCall()).toContain('--omit=dev')
    await setUp('--dev')
    expect(await lastCall()).toContain('--include=dev')
    await mkdir(join(folder.path, 'node_modules/vitest'), { recursive: true })
    expect(await setUp()).toBe('')
    expect(await calls()).toBe(2)
    await writeFile(join(folder.path, 'package-lock.json'), JSON.stringify({ packages: {}, changed: true }))
    await setUp()
    expect(await lastCall()).toContain('--include=dev')
  })

  test('continues past the lock of a killed set-up', async () => {
    await using folder = await tempFolder()
    const { setUp } = await checkout(folder.path)
    const lock = join(folder.path, 'node_modules/.sluice-set-up.lock')
    await mkdir(join(folder.path, 'node_modules'))
    await symlink('4194999', lock)
    await expect(setUp()).resolves.toContain('set up')
    await expect(readlink(lock)).rejects.toThrow()
  })

  test('shows the output of npm when it fails, and tries again next time', async () => {
    await using folder = await tempFolder()
    const { setUp } = await checkout(folder.path, 'echo "npm error: no such registry"; exit 1')
    await expect(setUp()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no such registry') })
    expect(existsSync(join(folder.path, 'node_modules/.sluice-set-up'))).toBe(false)
  })

  test('reports in one line which native package is unavailable', async () => {
    await using folder = await tempFolder()
    const { setUp } = await checkout(folder.path)
    const lost = { version: '1.2.3', optional: true, os: [process.platform], cpu: [process.arch] }
    await writeFile(
      join(folder.path, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/@a/lost': lost } }),
    )
    expect(await setUp()).toContain('features that need them will fail: @a/lost@1.2.3')
  })
})
