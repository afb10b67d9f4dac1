import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LAW_SOURCE } from '../../bench/limiter/law-policy.ts'
import { MECHANISMS } from '../../bench/limiter/mechanisms.ts'
import { tableIn } from './markdown-table.ts'

const PAGE = readFileSync(new URL('../../docs/internals/limiter.md', import.meta.url), 'utf8')

/** Fields of the law's record with their comments, as the source has them; `nil` for those that are absent at first. */
function recordFields(): readonly (readonly [field: string, first: string, meaning: string])[] {
  const [, record = ''] = /local function fresh_law\(now\)\n {2}return \{\n([^]*?)\n {2}\}/.exec(LAW_SOURCE) ?? []
  return record.split('\n').map((line) => {
    const [, absent, about] = /^ {4}-- (\w+): (.+)$/.exec(line) ?? []
    if (absent !== undefined) return [absent, 'nil', about ?? ''] as const
    const [, field = '', first = '', meaning = ''] = /^ {4}(\w+) = ([^,]+), -- (.+)$/.exec(line) ?? []
    expect(field, `a line of fresh_law without a field and its comment: ${line}`).not.toBe('')
    return [field, first.replaceAll("'", ''), meaning] as const
  })
}

test('the limiter page lists the fields of the record as its source does', () => {
  const expected = recordFields().map((row) => row.map((cell) => cell.replaceAll('`', '')))
  expect(tableIn(PAGE, 'record')).toEqual(expected)
  expect(expected.length).toBeLessThanOrEqual(45)
})

test('the limiter page lists the mechanisms that the law numbers', () => {
  const rows = tableIn(PAGE, 'mechanisms')
  expect(rows.map(([number, name]) => [number, name])).toEqual(
    MECHANISMS.map(({ name }, index) => [String(index + 1), name]),
  )
  const marked = new Set([...LAW_SOURCE.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)))
  expect([...marked].toSorted((a, b) => a - b)).toEqual(MECHANISMS.map((_, index) => index + 1))
})

test('the law is one file of at most 600 lines, and its page has at most 1,200 words outside tables', () => {
  const prose = PAGE.split('\n').filter((line) => !line.startsWith('|') && !/[─▶◀▲⇄]/.test(line))
  expect(LAW_SOURCE.trimEnd().split('\n').length).toBeLessThanOrEqual(600)
  expect(prose.join(' ').split(/\s+/).length).toBeLessThan(1_200)
})
