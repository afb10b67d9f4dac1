import { describe, expect, test } from 'vitest'
import { Suspects } from '#src/queue/suspects.ts'

const leaveOf = (entry: ReturnType<Suspects['enter']>): (() => void) => {
  if (entry.kind !== 'entered') throw new Error('it was turned away')
  return entry.leave
}

describe('documents that were there when workers died', () => {
  test('once, are run as any other', () => {
    const suspects = new Suspects(10)
    const entries = Array.from({ length: 100 }, (_, index) => suspects.enter(index % 2))
    expect(entries.every(({ kind }) => kind === 'entered')).toBe(true)
  })

  test.each([
    [2, 8],
    [3, 4],
    [4, 2],
    [5, 1],
    [10, 1],
  ])('%i times, are run %i at a time beside the others', (deaths, together) => {
    const suspects = new Suspects(10)
    const entries = Array.from({ length: 20 }, () => suspects.enter(deaths))
    expect(entries.filter(({ kind }) => kind === 'entered')).toHaveLength(together)
    expect(suspects.enter(1).kind).toBe('entered')
  })

  test('make room for each other, and the worst of them decides how many there are', () => {
    const suspects = new Suspects(10)
    const leave = leaveOf(suspects.enter(2))
    expect(suspects.enter(5).kind).toBe('turned away')
    leave()
    const leaveWorst = leaveOf(suspects.enter(5))
    expect(suspects.enter(2).kind).toBe('turned away')
    leaveWorst()
    expect(suspects.enter(2).kind).toBe('entered')
  })

  test('are run one at a time from the second death on where few deaths are allowed', () => {
    const suspects = new Suspects(3)
    expect([suspects.enter(2).kind, suspects.enter(2).kind]).toEqual(['entered', 'turned away'])
  })

  test('come again soon when few wait, and each later the more do', () => {
    const suspects = new Suspects(10)
    const leave = leaveOf(suspects.enter(5))
    const waits = Array.from({ length: 30 }, () => suspects.enter(5)).map((entry) =>
      entry.kind === 'turned away' ? entry.waitMs : 0,
    )
    expect(waits.slice(0, 3)).toEqual([100, 200, 300])
    expect(Math.max(...waits)).toBe(2_000)
    leave()
    leaveOf(suspects.enter(5))
    expect(suspects.enter(5)).toEqual({ kind: 'turned away', waitMs: 100 })
  })
})
