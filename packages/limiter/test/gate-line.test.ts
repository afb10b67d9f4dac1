import { describe, expect, test } from 'vitest'
import { gateLine } from '../src/gate-line.ts'
import type { GateState } from '../src/gate-state.ts'
import { gateState } from './gate-state.ts'

const STATE = gateState({ places: { count: 20, learned: true }, inFlight: 12 })

const NOW = new Date(2026, 10, 24, 5, 0, 0).getTime()
const lineOf = (state: GateState, probes = true): string => gateLine(state, { probes, now: NOW })

describe('the status line of the gate', () => {
  test('shows what was learned, what is in flight and when the next request may start', () => {
    const state = { ...STATE, rate: { perWindow: 480.3, learned: true }, nextInMs: 412 }
    expect(lineOf(state)).toBe('rate ~ 480/min learned, 12 in flight, next in 0.4 s')
  })

  test('calls a limit from the settings or the service stated', () => {
    expect(lineOf({ ...STATE, rate: { perWindow: 500, learned: false } })).toBe('rate 500/min as stated, 12 in flight')
  })

  test('reports that the limit of requests in flight holds requests back', () => {
    expect(lineOf({ ...STATE, inFlight: 20 })).toBe('20 of at most 20 requests in flight')
  })

  test('states why the gate is shut and when it polls again', () => {
    const shut = { cause: 'credits', probeInMs: 34_000, message: 'no credits' } as const
    expect(lineOf({ ...STATE, shut })).toBe(
      'shut: the account has no credits left, next probe at 05:00:34, 12 in flight',
    )
    expect(lineOf({ ...STATE, shut }, false)).toBe('shut: the account has no credits left, 12 in flight')
  })

  test('shows a wait as the time of day when it ends', () => {
    const asked = { ...STATE, nextInMs: 4_000, askedInMs: 190_000 }
    expect(lineOf(asked)).toBe('the service asks to wait until 05:03:10, 12 in flight')
    expect(lineOf({ ...asked, askedInMs: 86_400_000 })).toMatch(/until 2026-11-25 05:00:00, /)
    expect(lineOf({ ...STATE, nextInMs: 20_000 })).toBe('12 in flight, next at 05:00:20')
  })

  test('reports that the gate was paused', () => {
    expect(lineOf({ ...STATE, paused: true })).toBe('paused by hand, 12 in flight')
  })
})
