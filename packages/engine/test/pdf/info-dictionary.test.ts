import { expect, test } from 'vitest'
import { infoDictionary } from '../../src/pdf/info-dictionary.ts'

function read(dictionary: string, trailer = '/Info 7 0 R'): unknown {
  const bytes = `%PDF-1.4\n7 0 obj\n${dictionary}\nendobj\ntrailer\n<</Root 1 0 R ${trailer}>>\n%%EOF`
  return infoDictionary(Buffer.from(bytes, 'latin1'))
}

test.each([
  ['plain', '<</Title (Quays) /Author (A. Writer)>>', { title: 'Quays', author: 'A. Writer' }],
  ['escaped', String.raw`<</Title (Quays \(old\) \046 tides)>>`, { title: 'Quays (old) & tides' }],
  ['UTF-16', '<</Title <FEFF00510075006100690020D83DDE00>>>', { title: 'Quai 😀' }],
  ['empty', '<</Title () /Producer (someone)>>', {}],
])('values of the information dictionary are read (%s)', (_, dictionary, expected) => {
  expect(read(dictionary)).toEqual(expected)
})

test('a PDF without an info dictionary has none of its values', () => {
  expect(read('<</Title (Quays)>>', '')).toEqual({})
  expect(read('<</Title (Quays)>>', '/Info 99 0 R')).toEqual({})
})
