import { expect, test } from 'vitest'
import { textWithoutKey } from '#src/parse/without-key.ts'

test('textWithoutKey takes a key out of a message, and leaves the message alone where a key is as short as a word', () => {
  expect(textWithoutKey('the key fc-1234567 is risky', 'fc-1234567')).toBe('the key [key] is risky')
  expect(textWithoutKey('this is risky', 'k')).toBe('this is risky')
  expect(textWithoutKey('this is risky', 'risky')).toBe('this is risky')
})
