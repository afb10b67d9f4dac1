import { describe, expect, test } from 'vitest'
import { PoisonQuarantine } from '#src/queue/poison-quarantine.ts'

const leaveOf = (admission: ReturnType<PoisonQuarantine['admit']>): (() => void) => {
  if (admission.kind !== 'entered') throw new Error('the quarantine deferred it')
  return admission.leave
}

describe('documents in flight when workers died', () => {
  test('once are run like any other', () => {
    const quarantine = new PoisonQuarantine(10)
    const admissions = Array.from({ length: 100 }, (_, index) => quarantine.admit(index % 2))
    expect(admissions.every(({ kind }) => kind === 'entered')).toBe(true)
  })

  test.each([
    [2, 8],
    [3, 4],
    [4, 2],
    [5, 1],
    [10, 1],
  ])('%i times are run %i at a time next to the others', (deaths, together) => {
    const quarantine = new PoisonQuarantine(10)
    const admissions = Array.from({ length: 20 }, () => quarantine.admit(deaths))
    expect(admissions.filter(({ kind }) => kind === 'entered')).toHaveLength(together)
    expect(quarantine.admit(1).kind).toBe('entered')
  })

  test('wait for each other, and the worst of them limits their number', () => {
    const quarantine = new PoisonQuarantine(10)
    const leave = leaveOf(quarantine.admit(2))
    expect(quarantine.admit(5).kind).toBe('deferred')
    leave()
    const leaveWorst = leaveOf(quarantine.admit(5))
    expect(quarantine.admit(2).kind).toBe('deferred')
    leaveWorst()
    expect(quarantine.admit(2).kind).toBe('entered')
  })

  test('are run one at a time from the second death on when few deaths are allowed', () => {
    const quarantine = new PoisonQuarantine(3)
    expect([quarantine.admit(2).kind, quarantine.admit(2).kind]).toEqual(['entered', 'deferred'])
  })

  test('return soon when few wait, and later the more wait', () => {
    const quarantine = new PoisonQuarantine(10)
    const leave = leaveOf(quarantine.admit(5))
    const waits = Array.from({ length: 30 }, () => quarantine.admit(5)).map((admission) =>
      admission.kind === 'deferred' ? admission.waitMs : 0,
    )
    expect(waits.slice(0, 3)).toEqual([100, 200, 300])
    expect(Math.max(...waits)).toBe(2_000)
    leave()
    leaveOf(quarantine.admit(5))
    expect(quarantine.admit(5)).toEqual({ kind: 'deferred', waitMs: 100 })
  })
})
