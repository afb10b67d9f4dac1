import { expect, test } from 'vitest'
import { readingsOf } from '#workers/gate-readings.ts'
import { gateState } from '../support/gate-state.ts'

const STATE = gateState({
  credits: new Map([
    ['run:5f0c', { held: 1, spent: 2 }],
    ['run:99aa', { held: 3, spent: 4 }],
    ['month:2026-10', { held: 7, spent: 8 }],
    ['month:2026-11', { held: 5, spent: 6 }],
  ]),
})

test('metrics of the gate sum the budgets of all runs and take the last month, so that neither adds a series', () => {
  const spent = readingsOf(STATE).filter(({ name }) => name === 'sluice_gate_credits_spent')
  expect(spent.map(({ labels, value }) => [labels?.['scope'], value])).toEqual([
    ['run', 6],
    ['month', 6],
  ])
})
