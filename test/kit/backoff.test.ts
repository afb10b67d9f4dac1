import { expect, test } from 'vitest'
import { backoffMs } from '#src/kit/backoff.ts'

test('the backoff waits min(2^attempt, 30) seconds and less than a second of jitter', () => {
  expect([1, 2, 3, 4, 5, 9].map((attempt) => backoffMs(attempt, null, () => 0))).toEqual([
    2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
  expect(backoffMs(1, null, () => 0.999)).toBeCloseTo(2_999)
})

test('the backoff uses the delay that the service names, to the millisecond, instead of its own', () => {
  expect(backoffMs(1, 12_345, () => 0.5)).toBe(12_345)
  expect(backoffMs(5, 100, () => 0.5)).toBe(100)
})
