import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

describe('package-lock.json', () => {
  test('names the optional packages of every platform (else: node scripts/complete-lockfile.mjs)', async () => {
    const { stdout } = await run(process.execPath, ['scripts/complete-lockfile.mjs', '--check'], { cwd: ROOT }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  })

  test('is accepted by `npm ci`, as the Dockerfile runs it', async () => {
    await using folder = await tempFolder()
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      await cp(join(ROOT, file), join(folder.path, file))
    const { stdout } = await run('npm', ['ci', '--omit=dev', '--dry-run', '--offline', '--loglevel=error'], {
      cwd: folder.path,
    })
    expect(stdout).toMatch(/added \d+ packages/)
  }, 240_000)
})
