import { describe, expect, test } from 'vitest'
import { setbackMs } from '#src/queue/clock-watch.ts'

const HOUR_MS = 3_600_000
const before = { wallMs: 1_800_000_000_000, steadyMs: 5_000 }

describe('a clock on the wall, against one that nobody sets', () => {
  test('was set back by what it shows less', () => {
    expect(setbackMs(before, { wallMs: before.wallMs + 1_000 - HOUR_MS, steadyMs: 6_000 })).toBe(HOUR_MS)
  })

  test('was set back by nothing when both went on alike, however long the pause', () => {
    expect(setbackMs(before, { wallMs: before.wallMs + 90_000, steadyMs: 95_000 })).toBe(0)
  })

  test('was set back by less than nothing when it was set forward', () => {
    expect(setbackMs(before, { wallMs: before.wallMs + 1_000 + HOUR_MS, steadyMs: 6_000 })).toBe(-HOUR_MS)
  })
})
