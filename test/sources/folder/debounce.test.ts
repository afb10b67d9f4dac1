import { describe, expect, test } from 'vitest'
import { sourceKey, version } from '#src/document/ids.ts'
import { Debounce } from '#src/sources/folder/debounce.ts'

const KEY = sourceKey('a.pdf')
const ONE = version('1-1-1')
const TWO = version('2-2-1')

describe('a watched file that is written to', () => {
  test('is checked soon, and again when it may be stable', () => {
    const debounce = new Debounce(1000)
    debounce.touch(KEY, 0)
    expect([debounce.due(199, 10), debounce.due(200, 10)]).toEqual([[], [KEY]])
    expect(debounce.isStable(KEY, ONE, 200)).toBe(false)
    expect([debounce.due(1199, 10), debounce.due(1200, 10)]).toEqual([[], [KEY]])
    expect(debounce.isStable(KEY, ONE, 1200)).toBe(true)
    expect(debounce.size).toBe(0)
  })

  test('is not stable while it differs from check to check', () => {
    const debounce = new Debounce(1000)
    debounce.touch(KEY, 0)
    expect(debounce.isStable(KEY, ONE, 200)).toBe(false)
    expect(debounce.isStable(KEY, TWO, 1200)).toBe(false)
    expect(debounce.isStable(KEY, TWO, 2199)).toBe(false)
    expect(debounce.isStable(KEY, TWO, 2200)).toBe(true)
  })

  test('is checked once for many writes, and within a second of becoming stable', () => {
    const debounce = new Debounce(1000)
    for (let now = 0; now < 5000; now += 10) {
      debounce.touch(KEY, now)
      for (const key of debounce.due(now, 10)) {
        expect(debounce.isStable(key, version(`${now}-0-0`), now)).toBe(false)
      }
    }
    expect(debounce.size).toBe(1)
    expect(debounce.due(5200, 10)).toEqual([KEY])
    expect(debounce.isStable(KEY, TWO, 5200)).toBe(false)
    expect(debounce.isStable(KEY, TWO, 6200)).toBe(true)
  })

  test('is not gone between the two halves of a replacement', () => {
    const debounce = new Debounce(1000)
    debounce.touch(KEY, 0)
    expect(debounce.isStable(KEY, 'gone', 200)).toBe(false)
    expect(debounce.isStable(KEY, ONE, 1200)).toBe(false)
    expect(debounce.isStable(KEY, ONE, 2200)).toBe(true)
    debounce.touch(KEY, 3000)
    expect(debounce.isStable(KEY, 'gone', 3200)).toBe(false)
    expect(debounce.isStable(KEY, 'gone', 4200)).toBe(true)
  })
})
