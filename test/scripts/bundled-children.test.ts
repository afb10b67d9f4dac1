import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CHILDREN } from '../../scripts/bundle-program.ts'

const ROOT = resolve(import.meta.dirname, '../..')

test('the package holds the entry point of each child process', async () => {
  const folders = ['src', 'workers', 'packages/engine/src']
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  )
  const forked: string[] = []
  for (const name of names.flat().filter((path) => path.endsWith('-child.ts'))) {
    if (/^(?:exitWithParent\(\)|process\.on\('message')/m.test(await readFile(join(ROOT, name), 'utf8')))
      forked.push(name)
  }
  expect(forked.length).toBeGreaterThan(5)
  const bundled: readonly string[] = Object.values(CHILDREN)
  expect(forked.filter((name) => !bundled.includes(name))).toEqual([])
})
