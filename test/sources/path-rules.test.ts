import { expect, test } from 'vitest'
import { nameRules } from '#src/sources/path-rules.ts'

const KEYS = ['reports/a.pdf', 'x/reports/b.pdf', 'reports/2024/c.pdf', 'd.pdf']

/** Keys of the listing: a folder on the path of a key may be left out. */
function kept(filter: Parameters<typeof nameRules>[0]): string[] {
  const rules = nameRules(filter)
  return KEYS.filter((key) => {
    const parts = key.split('/')
    const folders = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1))
    const isLeftOut = folders.some((folder) => rules.skipsFolder(folder.join('/'), folder.at(-1) ?? '') !== null)
    return !isLeftOut && rules.skipsFile(key, parts.at(-1) ?? '') === null
  })
}

test.each([
  ['reports', ['d.pdf']],
  ['reports/', ['d.pdf']],
  ['./reports', ['d.pdf']],
  ['./reports/', ['d.pdf']],
  ['reports/2024/', ['reports/a.pdf', 'x/reports/b.pdf', 'd.pdf']],
  ['./d.pdf', KEYS.slice(0, 3)],
  ['./', []],
])('an exclude of %s leaves %j', (glob, expected) => {
  expect(kept({ exclude: [glob] })).toEqual(expected)
})

test.each([
  ['reports/', KEYS.slice(0, 3)],
  ['./reports/2024/', ['reports/2024/c.pdf']],
  ['./', KEYS],
])('an include of %s leaves %j', (glob, expected) => {
  expect(kept({ include: [glob] })).toEqual(expected)
})
