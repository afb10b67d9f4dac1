import { expect, test } from 'vitest'
import { capReadings, readingsOf } from '#workers/service/gate-readings.ts'
import { gateState } from '../../packages/limiter/test/gate-state.ts'

test('credit metrics cover the runs and the month, with their caps', () => {
  const spent = { run: { held: 4, spent: 6 }, month: { held: 5, spent: 6 } }
  const account = { service: 'default', creditsLeft: 70, monthlyCredits: 100 }
  const readings = [...capReadings('papers', { limit: 9, spent: 4 }), ...readingsOf(gateState({}), account, spent)]
  const credits = readings.filter(({ name }) => name.includes('_credits_'))
  expect(credits.map(({ name, labels, value }) => [name, labels, value])).toEqual([
    ['sluice_gate_credits_limit', { scope: 'run', pipeline: 'papers' }, 9],
    ['sluice_gate_credits_spent', { scope: 'run', pipeline: 'papers' }, 4],
    ['sluice_gate_credits_reserved', { scope: 'run' }, 4],
    ['sluice_gate_credits_reserved', { scope: 'month' }, 5],
    ['sluice_gate_credits_limit', { scope: 'month' }, 100],
    ['sluice_gate_credits_spent', { scope: 'month' }, 6],
    ['sluice_service_credits_remaining', { service: 'default' }, 70],
  ])
})
