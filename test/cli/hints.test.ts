import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSettings } from '#config/load.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { outputs, recordOf } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makeStore } from '../support/open-store-at.ts'
import { sluice } from '../support/sluice.ts'

test.each([
  [{ out: '' }, '--out is empty; was a variable of the shell not set?'],
  [{ concurrency: 'many' }, '--concurrency: a number is needed (given: many)'],
  [{ concurrency: '0' }, '--concurrency: it must be 1 or more (given: 0)'],
  [{ mode: 'orc' }, '--mode: it must be one of fast, auto, ocr (given: orc)'],
])('the command line refuses the settings %j in plain words', (flags, problem) => {
  expect(loadSettings(flags, {}, {})).toEqual({ ok: false, problems: [problem] })
})

test.each([
  [['run', ''], 'sluice: the name of the source is empty; was a variable of the shell not set?\n'],
  [['run', 'www.example.com'], 'A website is named with its scheme: https://www.example.com'],
  [['run', 'papers', 'out'], '(One source at a time; the output folder is given with --out)'],
  [['run', 'papers', '-o', 'out'], '(Did you mean --out?)'],
  [['engine', '--port', '99999'], '  --port: it must be 65535 or less (given: 99999)'],
  [['help', 'rnu'], "error: unknown command 'rnu'\n(Did you mean run?)"],
])('the command line refuses the command %j with the hint that helps', async (words, hint) => {
  await using folder = await temporaryFolder()
  const { code, stderr } = await sluice(words, { cwd: folder.path })
  expect([code, stderr]).toEqual([1, expect.stringContaining(hint)])
})

test('a source that was refused is not remembered, and a run that finds no document says why', async () => {
  await using folder = await temporaryFolder()
  const papers = join(folder.path, 'papers')
  await mkdir(papers)
  await writeFile(join(papers, 'a.csv'), 'name\n1\n')
  const options = { cwd: folder.path, env: { XDG_STATE_HOME: join(folder.path, 'state') } }
  const run = await sluice(['run', 'papers', '--include', 'csv'], options)
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('no document was found: --include and --exclude')])
  expect((await sluice(['run', 'papers', '--out', 'papers'], options)).code).toBe(1)
  const status = await sluice(['status'], options)
  expect([status.code, status.stderr]).toEqual([0, ''])
}, 240_000)

test('verify removes orphans also by the former name of the flag, and names the present one', async () => {
  await using folder = await temporaryFolder()
  const store = await openFolderStore({ path: join(folder.path, 'out') })
  await makeStore(store)
  const files = outputs({ 'document.md': 'text' })
  await store.commit(recordOf('a.pdf', files), files)
  await writeFile(join(folder.path, 'out/documents/stray.txt'), 'text')
  const { code, stdout, stderr } = await sluice(['verify', '--remove-strays'], { cwd: folder.path })
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 orphans, 1 removed')])
  expect(stderr).toContain('--remove-strays is called --remove-orphans now. Change it before the next release.')
})
