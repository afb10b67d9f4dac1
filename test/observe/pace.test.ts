import { expect, test } from 'vitest'
import { Pace } from '#src/observe/pace.ts'
import * as fc from '../support/fast-check.ts'

const FREE: Parameters<Pace['leftMs']>[1] = { perMs: null, isHeld: false }

/** The time left after documents ended at these seconds, noted each second. */
function leftAfter(seconds: number, endsAt: readonly number[], pending: number, limits = FREE) {
  const pace = new Pace()
  for (let second = 0; second <= seconds; second++) {
    pace.note(100 + endsAt.filter((at) => at <= second).length, second * 1000, limits)
  }
  return pace.leftMs(pending, limits)
}

const each = (every: number, until: number): number[] =>
  Array.from({ length: until / every }, (_, at) => (at + 1) * every)

test('the time left follows the last minute instead of the full run', () => {
  expect(leftAfter(60, each(1, 60), 30)).toBe(30_000)
  // One a second for a minute, then one each ten seconds for another.
  expect(leftAfter(120, [...each(1, 60), ...each(10, 60).map((at) => 60 + at)], 30)).toBe(300_000)
})

test('the time left never assumes more than the rate that the gate allows', () => {
  const perMs = 10 / 60_000
  expect(leftAfter(25, each(1, 25), 377, { perMs, isHeld: false })).toBe(377 * 6_000)
  expect(leftAfter(60, each(10, 60), 5, { perMs: 1, isHeld: false })).toBe(50_000)
})

test('the time left is unknown in an outage, in the first seconds, at the end, and without progress', () => {
  expect(leftAfter(60, each(1, 60), 30, { perMs: null, isHeld: true })).toBeNull()
  expect(leftAfter(4, each(1, 4), 30)).toBeNull()
  expect(leftAfter(60, each(1, 60), 0)).toBeNull()
  expect(leftAfter(121, each(1, 60), 30)).toBeNull()
})

test('the rate behind the time left excludes an earlier outage', () => {
  const pace = new Pace()
  for (let second = 0; second <= 60; second++) {
    pace.note(Math.max(0, second - 50), second * 1000, { isHeld: second <= 50 })
  }
  expect(pace.leftMs(30, FREE)).toBe(30_000)
})

test('documents that are pending again after a change do not reduce the rate', () => {
  const pace = new Pace()
  for (const [at, ended] of [100, 0, 5, 10].entries()) pace.note(ended, at * 10_000, FREE)
  expect(pace.leftMs(100, FREE)).toBe(300_000)
})

test('the time left is right within one document at any steady rate and sampling interval', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 50, noNaN: true }),
      fc.integer({ min: 100, max: 5_000 }),
      (perSecond, step) => {
        const pace = new Pace()
        for (let at = 0; at <= 180_000; at += step) pace.note(Math.floor((at / 1000) * perSecond), at, FREE)
        expect(Math.abs(pace.perMs * 60_000 - perSecond * 60)).toBeLessThanOrEqual(1.01)
      },
    ),
  )
})
