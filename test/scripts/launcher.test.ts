import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }

/** The folders of the machine's own programs, without those that npm puts before them. */
const MACHINE_PATH = (process.env['PATH'] ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':')

describe('./sluice', () => {
  test('runs from any folder, through links, with the old Node of the machine', async () => {
    await using folder = await tempFolder()
    await symlink(join(ROOT, 'sluice'), join(folder.path, 'one'))
    await symlink('one', join(folder.path, 'two'))
    const { stdout } = await run('./two', ['--version'], { cwd: folder.path, env: { PATH: MACHINE_PATH } })
    expect(stdout).toBe(`${version}\n`)
  })

  test('passes on arguments and exit code', async () => {
    const refused = run(join(ROOT, 'sluice'), ['no such command'])
    await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("'no such command'") })
  })
})
