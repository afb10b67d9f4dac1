import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '#config/settings.ts'
import { createProgram } from '#src/cli/program.ts'
import { settingOf } from '#src/cli/session/option-settings.ts'
import { settingsTables } from './settings-table.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/reference/settings.md')

test('docs/reference/settings.md names every flag of a setting that run, watch and engine have', async () => {
  const page = await readFile(PAGE, 'utf8')
  const { commands } = await createProgram('all')
  const flags = commands
    .filter((command) => ['run', 'watch', 'engine'].includes(command.name()))
    .flatMap((command) => command.options.filter((option) => settingOf(option) !== undefined && !option.hidden))
    .map((option) => `\`${option.long}\``)
  expect(flags.length).toBeGreaterThan(80)
  expect(flags.filter((flag) => !page.includes(flag))).toEqual([])
})

test('docs/reference/settings.md lists every setting of the code with name, flag, variable, default, unit and purpose', async () => {
  const [, listed = ''] = /<!-- settings -->\n+([^]*?)\n+<!-- \/settings -->/.exec(await readFile(PAGE, 'utf8')) ?? []
  const tables = settingsTables()
  expect(tables.match(/^\| `/gm)).toHaveLength(Object.keys(SETTINGS).length)
  expect(listed, `the tables should be:\n${tables}\n`).toBe(tables)
})
