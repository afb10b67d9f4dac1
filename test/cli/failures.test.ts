import { expect, test } from 'vitest'
import { byHost } from '#src/cli/commands/failures.ts'

test('failures of the web are counted by host, the most frequent first', () => {
  expect(byHost(new Map([['a.org', 1]]))).toBe('')
  expect(
    byHost(
      new Map([
        ['a.org', 2],
        ['b.org', 10],
      ]),
    ),
  ).toBe(': 10 at b.org, 2 at a.org')
  const many = new Map(Array.from({ length: 12 }, (_, index) => [`${index}.org`, 1]))
  expect(byHost(many)).toMatch(/1 at 9\.org, others at 2 more hosts$/)
})
