import { expect, test } from 'vitest'
import { rangesLeft, type RangeLine, sumOfRanges } from './ranges.ts'

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

test('ranges that were played together are counted together, from the first seed to the last', () => {
  const none = { lost: 0, torn: 0, unexplained: 0, endless: 0, wrong_numbers: 0, unjudged: 0, paid_twice_received: 0 }
  const line: RangeLine = {
    ...none,
    first: 110,
    last: 119,
    commit: 'cafe',
    runs: 10,
    ambiguous: 2,
    ambiguous_bound: 30,
    conservation_errors: 1,
    exits_0_with_unfinished: 0,
    longest_stop_ms: 1_200,
    faults: { kill: 2 },
  }
  const other = { ...line, first: 100, last: 109, longest_stop_ms: 900, faults: { kill: 1, change: 1 } }
  const sum = sumOfRanges([line, other])
  expect(sum).toMatchObject({ first: 100, last: 119, runs: 20, ambiguous: 4, conservation_errors: 2 })
  expect(sum).toMatchObject({ longest_stop_ms: 1_200, faults: { kill: 3, change: 1 } })
})
