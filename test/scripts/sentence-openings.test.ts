import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/sentence-openings.mjs')

const FILES = {
  'src/queue/worker.ts':
    '/**\n * Takes jobs.\n * What a job is\n * worth. Ends `soon`.\n */\nconst where = 1 // Whether it ends.\n',
  'packages/limiter/law.lua': '-- Of the law.\nlocal how = 1 -- The pace.\n',
  'src/queue/worker.test.ts': '// Which test.\n',
  'test/support/wait.ts': '// How long.\n',
}

test('the check of sentence openings lists product comments with file and line, and fails above its limit', async () => {
  await using folder = await tempFolder()
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true })
    await writeFile(join(folder.path, file), text)
  }
  const check = (most: string) =>
    spawnSync(process.execPath, [SCRIPT, '--most', most, folder.path], { encoding: 'utf8' })

  const below = check('50')
  expect(below.stdout.trimEnd().split('\n')).toEqual([
    'packages/limiter/law.lua:1: Of the law.',
    'src/queue/worker.ts:3: What a job is worth.',
    'src/queue/worker.ts:6: Whether it ends.',
    '3 of 6 sentences, 50.0 %',
  ])
  expect(below.status).toBe(0)
  expect(check('49').status).toBe(1)
})
