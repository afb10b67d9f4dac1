import { describe, expect, test } from 'vitest'
import { characterRanges } from '#src/corpus/chunks/split-text.ts'

const ASTRONAUT = '👨🏿‍🚀'
const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Offsets between two user-perceived characters. */
const boundariesOf = (text: string): ReadonlySet<number> =>
  new Set([...SEGMENTER.segment(text)].map(({ index, segment }) => index + segment.length))

describe('the character ranges of a split text', () => {
  test.each(Array.from({ length: 8 }, (_, shift) => 1016 + shift))(
    'end between characters when an emoji of several code points is %i units from the start',
    (at) => {
      const text = `${'x'.repeat(at)}${ASTRONAUT}${'y'.repeat(40)}`
      const ranges = characterRanges(text, 0, text.length, 16)
      expect(ranges.map(([start, end]) => text.slice(start, end)).join('')).toBe(text)
      const boundaries = boundariesOf(text)
      expect(ranges.filter(([, end]) => !boundaries.has(end))).toEqual([])
    },
  )

  test('keep a character of 3,000 combining marks intact between others', () => {
    const marked = `e${'\u0301'.repeat(3000)}`
    const text = `${'x'.repeat(1000)}${marked}${'y'.repeat(1000)}`
    const parts = characterRanges(text, 0, text.length, 64).map(([start, end]) => text.slice(start, end))
    expect(parts.join('')).toBe(text)
    expect(parts.filter((part) => part.includes('\u0301'))).toEqual([expect.stringContaining(marked)])
  })

  test('split a single oversized character between code points', () => {
    const marked = `👩${'\u0301'.repeat(5)}`
    expect(characterRanges(marked, 0, marked.length, 64)).toEqual([
      [0, 2],
      ...Array.from({ length: 5 }, (_, index) => [2 + index, 3 + index]),
    ])
  })
})
