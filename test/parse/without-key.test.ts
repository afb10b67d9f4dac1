import { expect, test } from 'vitest'
import { textWithoutKey } from '#src/parse/without-key.ts'

test('textWithoutKey removes a key from a message, but not a key as short as a word', () => {
  expect(textWithoutKey('the key fc-1234567 is risky', 'fc-1234567')).toBe('the key [key] is risky')
  expect(textWithoutKey('this is risky', 'k')).toBe('this is risky')
  expect(textWithoutKey('this is risky', 'risky')).toBe('this is risky')
})
