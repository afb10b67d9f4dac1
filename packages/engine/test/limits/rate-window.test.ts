import { expect, test } from 'vitest'
import { RateWindow, WINDOW_MS } from '../../src/limits/rate-window.ts'

test('a rate window allows its number of requests, refuses the rest, and restarts after a minute', () => {
  const rate = new RateWindow(2)
  expect([rate.take(1_000), rate.take(2_000)]).toEqual([{ allowed: true }, { allowed: true }])
  expect(rate.take(3_000)).toEqual({ allowed: false, consumed: 3, retryAfterMs: WINDOW_MS - 2_000 })
  expect(rate.take(1_000 + WINDOW_MS - 1)).toMatchObject({ allowed: false, retryAfterMs: 1 })
  expect(rate.take(1_000 + WINDOW_MS)).toEqual({ allowed: true })
})
