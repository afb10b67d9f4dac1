import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '#config/settings.ts'
import { settingsTables } from './settings-table.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/reference/settings.md')

test('docs/reference/settings.md lists every setting of the code with name, flag, variable, default, unit and purpose', async () => {
  const [, listed = ''] = /<!-- settings -->\n+([^]*?)\n+<!-- \/settings -->/.exec(await readFile(PAGE, 'utf8')) ?? []
  const tables = settingsTables()
  expect(tables.match(/^\| `/gm)).toHaveLength(Object.keys(SETTINGS).length)
  expect(listed, `the tables should be:\n${tables}\n`).toBe(tables)
})
