import { describe, expect, test } from 'vitest'
import { gateLine } from '#src/gate/gate-line.ts'
import type { GateState } from '#src/gate/gate-state.ts'

const STATE: GateState = {
  windowMs: 60_000,
  rate: null,
  places: { count: 20, learned: true },
  inFlight: 12,
  waitingDocuments: 3,
  waitingProcesses: 1,
  nextInMs: 0,
  paused: false,
  shut: null,
  serviceMs: 6_000,
  admitted: 100,
  refused: { rate: 1, concurrency: 0, unknown: 0, queued: 0 },
  shutMs: { rate: 0, outage: 0, credits: 0, key: 0, permission: 0 },
  credits: new Map(),
}

describe('the status line of the gate', () => {
  test('says what was learned, what is in flight and when the next may go', () => {
    const state = { ...STATE, rate: { perWindow: 480.3, learned: true }, nextInMs: 412 }
    expect(gateLine(state)).toBe('rate ~ 480/min learned, 12 in flight, next in 0.4 s')
  })

  test('calls a limit from the settings or the service stated', () => {
    expect(gateLine({ ...STATE, rate: { perWindow: 500, learned: false } })).toBe(
      'rate 500/min as stated, 12 in flight',
    )
  })

  test('says that the limit of requests in flight holds requests back', () => {
    expect(gateLine({ ...STATE, inFlight: 20 })).toBe('20 of 20 places in flight')
  })

  test('says why it is shut and when it polls again', () => {
    const shut = { cause: 'credits', probeInMs: 34_000, message: 'no credits' } as const
    expect(gateLine({ ...STATE, shut })).toBe('shut: the account has no credits left, next probe in 34 s, 12 in flight')
  })

  test('says that it was paused', () => {
    expect(gateLine({ ...STATE, paused: true })).toBe('paused by hand, 12 in flight')
  })
})
