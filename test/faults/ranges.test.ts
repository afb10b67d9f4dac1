import { expect, test } from 'vitest'
import { rangesLeft } from './ranges.ts'

test('a fault campaign that was interrupted goes on with the ranges that its log does not have', () => {
  const all = { seed: 100, runs: 25 }
  expect(rangesLeft(all, 10, [])).toEqual([
    { seed: 100, runs: 10 },
    { seed: 110, runs: 10 },
    { seed: 120, runs: 5 },
  ])
  expect(rangesLeft(all, 10, [{ first: 100, last: 109 }])).toEqual([
    { seed: 110, runs: 10 },
    { seed: 120, runs: 5 },
  ])
  expect(rangesLeft(all, 10, [{ first: 90, last: 200 }])).toEqual([])
})
