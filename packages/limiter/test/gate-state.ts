import type { GateState } from '../src/gate-state.ts'

/** A gate with one of two places taken; `more` replaces fields. */
export const gateState = (more: Partial<GateState> = {}): GateState => ({
  windowMs: 60_000,
  rate: null,
  places: { count: 2, learned: false },
  inFlight: 1,
  waitingDocuments: 0,
  waitingProcesses: 0,
  nextInMs: 0,
  askedInMs: null,
  paused: false,
  shut: null,
  serviceMs: null,
  admitted: 7,
  refused: { rate: 0, concurrency: 0, unknown: 0, queued: 0 },
  shutMs: { outage: 0, credits: 0, key: 0, permission: 0, rate: 0 },
  ...more,
})
