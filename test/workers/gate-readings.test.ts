import { expect, test } from 'vitest'
import type { GateState } from '#src/gate/gate-state.ts'
import { readingsOf } from '#workers/gate-readings.ts'

const STATE: GateState = {
  windowMs: 60_000,
  rate: null,
  places: { count: 2, learned: false },
  inFlight: 1,
  waitingDocuments: 0,
  waitingProcesses: 0,
  nextInMs: 0,
  paused: false,
  shut: null,
  serviceMs: null,
  admitted: 7,
  refused: { rate: 0, concurrency: 0, unknown: 0, queued: 0 },
  shutMs: { outage: 0, credits: 0, key: 0, permission: 0, rate: 0 },
  credits: new Map([
    ['run:5f0c', { held: 1, spent: 2 }],
    ['run:99aa', { held: 3, spent: 4 }],
    ['month:2026-10', { held: 7, spent: 8 }],
    ['month:2026-11', { held: 5, spent: 6 }],
  ]),
} as const

test('metrics of the gate sum the budgets of all runs and take the last month, so that neither adds a series', () => {
  const spent = readingsOf(STATE).filter(({ name }) => name === 'sluice_gate_credits_spent')
  expect(spent.map(({ labels, value }) => [labels?.['scope'], value])).toEqual([
    ['run', 6],
    ['month', 6],
  ])
})
