import type { Replies, ShutCause } from './border.ts'

/** What the gate has learned and does, for all processes on the API key; `waitingDocuments` is this process's own. */
export interface GateState {
  readonly windowMs: number
  /** Requests per window that are let through now; null while no limit is known. `learned`: not stated by the service or the settings. */
  readonly rate: { readonly perWindow: number; readonly learned: boolean } | null
  /** Requests in flight that are let through now. */
  readonly places: { readonly count: number; readonly learned: boolean }
  readonly inFlight: number
  readonly waitingDocuments: number
  readonly waitingProcesses: number
  /** Until the rate limit lets the next request through; 0 where it does now. */
  readonly nextInMs: number
  /** What is left of the wait that the service asked for; null where it asks for none. A probe may go out before. */
  readonly askedInMs: number | null
  readonly paused: boolean
  readonly shut: { readonly cause: ShutCause; readonly probeInMs: number; readonly message: string } | null
  /** Mean time that the service works on a document; null before the first. */
  readonly serviceMs: number | null
  /** Since the API key was first used, as are the next two. */
  readonly admitted: number
  /** `unknown`: refused, and the answer did not say for which limit. */
  readonly refused: Readonly<Record<'rate' | 'concurrency' | 'unknown' | 'queued', number>>
  readonly shutMs: Readonly<Record<ShutCause | 'rate', number>>
}

export function gateState(reply: Replies['snapshot'], windowMs: number, waitingDocuments: number): GateState {
  const { rate, shut } = reply
  return {
    windowMs,
    rate: rate === undefined ? null : { perWindow: rate, learned: reply.rateLearned },
    places: { count: reply.places, learned: reply.placesLearned },
    inFlight: reply.inFlight,
    waitingDocuments,
    waitingProcesses: reply.processes,
    nextInMs: reply.nextInMs,
    askedInMs: reply.askedInMs ?? null,
    paused: reply.paused,
    shut: shut === undefined ? null : { cause: shut, probeInMs: reply.probeInMs, message: reply.shutMessage ?? '' },
    serviceMs: reply.serviceMs ?? null,
    admitted: reply.admitted,
    refused: reply.refused,
    shutMs: reply.shutMs,
  }
}
