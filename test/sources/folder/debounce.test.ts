import { describe, expect, test } from 'vitest'
import { sourceKey, version } from '#src/document/ids.ts'
import { Debounce } from '#src/sources/folder/debounce.ts'

const KEY = sourceKey('a.pdf')
const ONE = version('1-1-1')
const TWO = version('2-2-1')

describe('a file that is written to', () => {
  test('is looked at soon, and again when it may have come to rest', () => {
    const settling = new Debounce(1000)
    settling.touch(KEY, 0)
    expect([settling.due(199, 10), settling.due(200, 10)]).toEqual([[], [KEY]])
    expect(settling.isStable(KEY, ONE, 200)).toBe(false)
    expect([settling.due(1199, 10), settling.due(1200, 10)]).toEqual([[], [KEY]])
    expect(settling.isStable(KEY, ONE, 1200)).toBe(true)
    expect(settling.size).toBe(0)
  })

  test('has not come to rest as long as it differs from look to look', () => {
    const settling = new Debounce(1000)
    settling.touch(KEY, 0)
    expect(settling.isStable(KEY, ONE, 200)).toBe(false)
    expect(settling.isStable(KEY, TWO, 1200)).toBe(false)
    expect(settling.isStable(KEY, TWO, 2199)).toBe(false)
    expect(settling.isStable(KEY, TWO, 2200)).toBe(true)
  })

  test('is looked at once for many writes, and within a second after it came to rest', () => {
    const settling = new Debounce(1000)
    for (let now = 0; now < 5000; now += 10) {
      settling.touch(KEY, now)
      for (const key of settling.due(now, 10)) {
        expect(settling.isStable(key, version(`${now}-0-0`), now)).toBe(false)
      }
    }
    expect(settling.size).toBe(1)
    expect(settling.due(5200, 10)).toEqual([KEY])
    expect(settling.isStable(KEY, TWO, 5200)).toBe(false)
    expect(settling.isStable(KEY, TWO, 6200)).toBe(true)
  })

  test('is not gone in the moment between the two halves of a replacement', () => {
    const settling = new Debounce(1000)
    settling.touch(KEY, 0)
    expect(settling.isStable(KEY, 'gone', 200)).toBe(false)
    expect(settling.isStable(KEY, ONE, 1200)).toBe(false)
    expect(settling.isStable(KEY, ONE, 2200)).toBe(true)
    settling.touch(KEY, 3000)
    expect(settling.isStable(KEY, 'gone', 3200)).toBe(false)
    expect(settling.isStable(KEY, 'gone', 4200)).toBe(true)
  })
})
