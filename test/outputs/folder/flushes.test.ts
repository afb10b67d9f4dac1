import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'

/* What a crash of the machine leaves of a folder: its name is on the disk only once the folder above it was flushed. */

test('every new folder of a store, including the store itself, is flushed into its parent folder', async () => {
  await using folder = await tempFolder()
  const [preload, program] = ['log-disk.ts', 'fill-store.ts'].map((name) =>
    join(import.meta.dirname, '../../support/processes', name),
  )
  const store = join(folder.path, 'archives', 'store')
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', preload ?? '', program ?? '', store])
  const said = stdout.trim().split('\n')
  const made = said.flatMap((line, at) => (line.startsWith('made ') ? [{ path: line.slice(5), at }] : []))
  // What is staged is worth nothing until it is renamed to its final path; one folder only shows which names the file
  // system folds.
  const passes = (path: string): boolean => /\/\.sluice\/(staging\/|Fold)/.test(path)
  const unflushed = made.filter(({ path, at }) => !passes(path) && !said.slice(at).includes(`flushed ${dirname(path)}`))
  expect(made.map(({ path }) => path)).toEqual(
    expect.arrayContaining([dirname(store), store, join(store, '.sluice'), join(store, '.sluice', 'aside')]),
  )
  expect(unflushed.map(({ path }) => path)).toEqual([])
})
