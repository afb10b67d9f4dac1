import { array, assert, integer, nat, property, record } from '../../../../test/support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { ProcessingClock, STARVATION_FACTOR } from '../../src/children/processing-clock.ts'

const BUDGET_MS = 1_000

/** The moment at which a process that always behaves in one way is over its budget, checked every 250 ms. */
function endsAfter(share: { readonly runs: number; readonly waits: number }): number {
  const at = (nowMs: number) => ({ ranMs: nowMs * share.runs, waitedMs: nowMs * share.waits })
  const clock = new ProcessingClock(0, at(0))
  for (let nowMs = 250; ; nowMs += 250) if (clock.isOver(BUDGET_MS, nowMs, at(nowMs))) return nowMs
}

describe('the processing clock', () => {
  test.each([
    ['runs all the time', { runs: 1, waits: 0 }, BUDGET_MS],
    ['hangs asleep', { runs: 0, waits: 0 }, BUDGET_MS],
    ['runs half of the time and waits for a processor in the other', { runs: 0.5, waits: 0.5 }, 2 * BUDGET_MS],
    ['gets a tenth of a processor', { runs: 0.1, waits: 0.9 }, 10 * BUDGET_MS],
    ['runs four threads on four processors', { runs: 4, waits: 0 }, BUDGET_MS],
    ['gets nothing at all', { runs: 0, waits: 1 }, STARVATION_FACTOR * BUDGET_MS],
  ])('ends a process that %s', (_, share, expectedMs) => {
    expect(endsAfter(share)).toBe(expectedMs)
  })

  test('is a wall clock when the system keeps no account', () => {
    const clock = new ProcessingClock(0, null)
    expect([clock.isOver(BUDGET_MS, 999, null), clock.isOver(BUDGET_MS, 1_000, null)]).toEqual([false, true])
  })

  test('never ends a process before its budget has passed by the wall clock, however many threads run', () => {
    const step = record({ elapsed: nat(900), ran: nat(4_000), waited: integer({ min: -500, max: 4_000 }) })
    assert(
      property(array(step, { maxLength: 30 }), (steps) => {
        const clock = new ProcessingClock(0, { ranMs: 0, waitedMs: 0 })
        let [nowMs, ranMs, waitedMs] = [0, 0, 0]
        for (const { elapsed, ran, waited } of steps) {
          nowMs += elapsed
          ranMs += ran
          waitedMs += waited
          if (clock.isOver(BUDGET_MS, nowMs, { ranMs, waitedMs })) expect(nowMs).toBeGreaterThanOrEqual(BUDGET_MS)
        }
      }),
    )
  })
})
