import { describe, expect, test } from 'vitest'
import { budgetAsk, budgetMessage } from '#src/gate/budget.ts'

describe('a budget', () => {
  const newYear = new Date('2027-01-01T00:30:00+01:00')

  test('of a month is that of the calendar month in UTC', () => {
    expect(budgetAsk({ per: 'month', limitCredits: 500 }, newYear)).toEqual({ scope: 'month:2026-12', limit: 500 })
  })

  test('without a limit only counts', () => {
    expect(budgetAsk({ per: 'run', run: 'r1', limitCredits: null }, newYear)).toEqual({ scope: 'run:r1' })
  })

  test('names the exhausted budget, what is spent and what the next document needs', () => {
    expect(budgetMessage('month:2026-12', 500, 499, 2)).toBe(
      'the budget for the month 2026-12 is 500 credits: 499 are spent and the next document needs 2. ' +
        'Raise it to go on; every waiting document is kept.',
    )
  })
})
