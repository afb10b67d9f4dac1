import type { ConcurrencyGate } from './concurrency-gate.ts'
import { concurrencyLimitReached, queueTimeout } from './refusals.ts'

/** Fraction of the request's timeout that a queue may take, the same as in the hosted service. */
const QUEUE_SHARE = 2 / 3

/** A place in each of several gates. Dispose to release it. */
export interface Place extends Disposable {
  readonly queuedMs: number
}

/**
 * Enters the gates in order: the key's gate, then the engine's. Throws 408 if the queue timeout passes, 429 if a gate
 * refuses instead of queueing.
 */
export async function takePlace(
  gates: readonly ConcurrencyGate[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Place> {
  const patienceMs = Math.round(timeoutMs * QUEUE_SHARE)
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const acquired: ConcurrencyGate[] = []
  const leave = (): void => {
    for (const gate of acquired.splice(0)) gate.release()
  }
  let queuedMs = 0
  for (const gate of gates) {
    const acquisition = await gate.acquire(patience)
    if (!acquisition.acquired) {
      leave()
      throw patience.aborted ? queueTimeout(patienceMs) : concurrencyLimitReached()
    }
    acquired.push(gate)
    queuedMs += acquisition.queuedMs
  }
  return { queuedMs, [Symbol.dispose]: leave }
}
