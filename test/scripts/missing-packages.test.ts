import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/missing-packages.mjs')
const run = promisify(execFile)

test('missing-packages names exactly the missing native packages of this machine', async () => {
  await using folder = await tempFolder()
  const native = { version: '1.2.3', optional: true, os: [process.platform], cpu: [process.arch] }
  const packages = {
    '': { name: 'x' },
    'node_modules/@a/here': native,
    'node_modules/@a/lost': native,
    'node_modules/parent/node_modules/nested-lost': native,
    'node_modules/other-system': { ...native, os: ['aix'] },
    'node_modules/other-processor': { ...native, cpu: ['ppc64'] },
    'node_modules/required': { version: '1.0.0' },
  }
  await writeFile(join(folder.path, 'package-lock.json'), JSON.stringify({ packages }))
  await mkdir(join(folder.path, 'node_modules/@a/here'), { recursive: true })
  await writeFile(join(folder.path, 'node_modules/@a/here/package.json'), '{}')

  const { stdout } = await run(process.execPath, [SCRIPT], { cwd: folder.path })
  expect(stdout.trim().split('\n')).toEqual(['@a/lost@1.2.3', 'nested-lost@1.2.3'])
})

test('missing-packages reports nothing missing in this checkout', async () => {
  const { stdout } = await run(process.execPath, [SCRIPT], { cwd: resolve(import.meta.dirname, '../..') })
  expect(stdout).toBe('')
})
