import { expect, test } from 'vitest'
import { capReadings, readingsOf } from '#workers/gate-readings.ts'
import { gateState } from '../support/gate-state.ts'

const credits = new Map([
  ['run:5f0c', { held: 1, spent: 2 }],
  ['run:99aa', { held: 3, spent: 4 }],
  ['month:2026-10', { held: 7, spent: 8 }],
  ['month:2026-11', { held: 5, spent: 6 }],
])

test('metrics of the gate take the last run and the last month, so that neither adds a series, with their caps', () => {
  const account = { service: 'default', creditsLeft: 70, monthlyCredits: 100, credits }
  const readings = [...capReadings('papers', { limit: 9, spent: 4 }), ...readingsOf(gateState({}), account)]
  const shown = readings.filter(({ name }) => name.includes('_credits_'))
  expect(shown.map(({ name, labels, value }) => [name, labels, value])).toEqual([
    ['sluice_gate_credits_limit', { scope: 'run', pipeline: 'papers' }, 9],
    ['sluice_gate_credits_spent', { scope: 'run', pipeline: 'papers' }, 4],
    ['sluice_gate_credits_reserved', { scope: 'run' }, 4],
    ['sluice_gate_credits_reserved', { scope: 'month' }, 5],
    ['sluice_gate_credits_limit', { scope: 'month' }, 100],
    ['sluice_gate_credits_spent', { scope: 'month' }, 6],
    ['sluice_service_credits_remaining', { service: 'default' }, 70],
  ])
})
