import { expect, test } from 'vitest'
import { withAccents } from '../../../src/pdf/ocr/accents.ts'

const item = (text: string, x = 0, y = 0) => ({ text, x, y, width: 8 * text.length, height: 12 })

const textsOf = (items: ReturnType<typeof item>[], other: ReturnType<typeof item>[]): string[] =>
  withAccents(items, other).map(({ text }) => text)

test('a word takes the accents of the other reading, and nothing else of it', () => {
  const read = [item('GroBe', 0), item('Schiffe', 50), item('durfen,', 120), item('be?ahlt', 190)]
  expect(textsOf(read, [item('Große Schiffo dürfen. bezahlt')])).toEqual(['Große', 'Schiffe', 'dürfen,', 'be?ahlt'])
})

test('a letter misread as another sign, or with another accent, takes the accent too', () => {
  expect(
    textsOf([item('bek?mpfen'), item('ou', 100), item('elève', 150)], [item('bekämpfen'), item('élève', 150)]),
  ).toEqual(['bekämpfen', 'ou', 'élève'])
})

test('a word elsewhere, or with other letters, changes no accent', () => {
  expect(textsOf([item('fur')], [item('für', 0, 40), item('für', 200), item('fürs')])).toEqual(['fur'])
})
