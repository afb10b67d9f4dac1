import { expect, test } from 'vitest'
import { textWithoutKey } from '#src/parse/without-key.ts'

test('a key is taken out of a message; one that is short enough to stand in words is none to search for', () => {
  expect(textWithoutKey('the key fc-1234567 is risky', 'fc-1234567')).toBe('the key [key] is risky')
  expect(textWithoutKey('this is risky', 'k')).toBe('this is risky')
  expect(textWithoutKey('this is risky', 'risky')).toBe('this is risky')
})
