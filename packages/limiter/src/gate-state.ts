import type { ScriptReplies, ShutCause } from './script-schemas.ts'

/** State of the gate, shared by all processes on the API key; `waitingDocuments` belongs to this process. */
export interface GateState {
  readonly windowMs: number
  /**
   * Current rate limit, in requests per window; null while no limit is known. `learned`: neither the service nor the
   * settings state it.
   */
  readonly rate: { readonly perWindow: number; readonly learned: boolean } | null
  /** Current limit of concurrent requests. */
  readonly places: { readonly count: number; readonly learned: boolean }
  readonly inFlight: number
  readonly waitingDocuments: number
  readonly waitingProcesses: number
  /** Time until the rate limit admits the next request; 0 if it does now. */
  readonly nextInMs: number
  /** Rest of the wait that the service asked for; null without one. A probe may go earlier. */
  readonly askedInMs: number | null
  readonly paused: boolean
  readonly shut: { readonly cause: ShutCause; readonly probeInMs: number; readonly message: string } | null
  /** Mean service time per document; null before the first. */
  readonly serviceMs: number | null
  /** Since the first use of the API key, like the next two fields. */
  readonly admitted: number
  /** `unknown`: the refusal named no limit. */
  readonly refused: Readonly<Record<'rate' | 'concurrency' | 'unknown' | 'queued', number>>
  readonly shutMs: Readonly<Record<ShutCause | 'rate', number>>
}

export function gateState(reply: ScriptReplies['snapshot'], windowMs: number, waitingDocuments: number): GateState {
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
