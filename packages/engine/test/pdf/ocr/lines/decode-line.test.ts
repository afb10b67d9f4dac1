import { expect, test } from 'vitest'
import { decodeLine, type LineReading } from '../../../../src/pdf/ocr/lines/decode-line.ts'

const CHARSET = ['a', 'b', '中', '文']
const SPACE = CHARSET.length + 1

/** What the model says at each step: its best class, `_` for none, and how likely a space is beside it. */
function readingOf(steps: string, spaces: Readonly<Record<number, number>> = {}): LineReading {
  const classes = CHARSET.length + 2
  const probabilities = new Float32Array(steps.length * classes)
  for (const [step, letter] of steps.split('').entries()) {
    const best = letter === '_' ? 0 : letter === ' ' ? SPACE : CHARSET.indexOf(letter) + 1
    probabilities[step * classes + best] = 0.9
    if (best !== SPACE) probabilities[step * classes + SPACE] = spaces[step] ?? 0
  }
  return { steps: steps.length, classes, probabilities }
}

const textsOf = (reading: LineReading): string[] => decodeLine(reading, CHARSET).map(({ text }) => text)

test('a repeated class is one letter, and two letters with a blank between', () => {
  expect(textsOf(readingOf('_aa_bb_'))).toEqual(['ab'])
  expect(textsOf(readingOf('_a_a_'))).toEqual(['aa'])
})

test('a word begins at a space that the model gave, and at one that it missed', () => {
  expect(textsOf(readingOf('_a_b_', { 2: 0.015 }))).toEqual(['a', 'b'])
  expect(textsOf(readingOf('_a_b_', { 2: 0.005 }))).toEqual(['ab'])
  expect(textsOf(readingOf('_a b_'))).toEqual(['a', 'b'])
})

test('Chinese text has no inner spaces, but spaces next to other letters', () => {
  expect(textsOf(readingOf('_中_文_', { 2: 0.3 }))).toEqual(['中文'])
  expect(textsOf(readingOf('_中_a_', { 2: 0.3 }))).toEqual(['中', 'a'])
})

test('Chinese text of two columns in one line is split at the gap, but not at an inner mark', () => {
  const words = decodeLine(readingOf('_中_文_中_文____文_中_文_'), CHARSET)
  expect(words.map(({ text }) => text)).toEqual(['中文中文', '文中文'])
  expect((words[1]?.from ?? 0) - (words[0]?.to ?? 0)).toBeGreaterThan(2 / 20)
  expect(textsOf(readingOf('_中_文__中_文_'))).toEqual(['中文中文'])
})

test('words have boxes at their letters, apart from one another', () => {
  const words = decodeLine(readingOf('_a_b____a_b_', { 5: 0.9 }), CHARSET)
  expect(words.map(({ text }) => text)).toEqual(['ab', 'ab'])
  const [first, second] = words
  expect(first?.from).toBe(0)
  expect(first?.to).toBeCloseTo(4.5 / 12)
  expect(second?.from).toBeCloseTo(7.5 / 12)
  expect(second?.to).toBe(1)
  expect(first?.confidence).toBeCloseTo(0.9)
})

test('a line without letters has no words', () => {
  expect(decodeLine(readingOf('___'), CHARSET)).toEqual([])
})
