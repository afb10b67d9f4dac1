import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tableIn } from './markdown-table.ts'
import { ROOT } from './pages.ts'

test('every pattern in ARCHITECTURE.md is named by its standard term in the file that implements it', async () => {
  const rows = tableIn(await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8'), 'patterns')
  expect(rows.length).toBeGreaterThan(10)
  for (const [patterns = '', file = ''] of rows) {
    const text = (await readFile(join(ROOT, file), 'utf8')).toLowerCase()
    for (const pattern of patterns.toLowerCase().split(', ')) expect(text, `${file}: ${pattern}`).toContain(pattern)
  }
})

test('every decision has a date, a reason and what was rejected', async () => {
  const page = await readFile(join(ROOT, 'docs/internals/decisions.md'), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| (?!date|---)/.test(line))
  expect(rows.length).toBeGreaterThan(50)
  const incomplete = rows.filter((row) => !/^\| \d{4}-\d{2}-\d{2} \| \S.{20,} \| \S.{5,} \|$/.test(row))
  expect(incomplete).toEqual([])
})
