import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tableIn } from './markdown-table.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PAGE = await readFile(resolve(ROOT, 'docs/guide/security.md'), 'utf8')

test('every threat in docs/guide/security.md names a test that exists, by its file and title', async () => {
  const rows = tableIn(PAGE, 'threats')
  expect(rows.length).toBeGreaterThan(10)
  for (const [boundary, threat, , shownBy = ''] of rows) {
    const [, file = '', title = ''] = /^(\S+?\.ts)(?:: (.+))?$/.exec(shownBy) ?? []
    expect(file, `${boundary} ${threat}`).not.toBe('')
    expect(await readFile(resolve(ROOT, file), 'utf8'), `${boundary} ${threat}`).toContain(title)
  }
})
