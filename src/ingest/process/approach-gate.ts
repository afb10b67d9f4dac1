import type { Delivery, DocumentJob, JobVerdict } from '#src/ports/queue.ts'
import type { Turn } from '#src/ports/gate.ts'
import type { IngestDeps } from './deps.ts'
import { handlingOf } from './preflight.ts'
import { postpone } from './purchase.ts'

/** Of a document that needs no permit, that the service fetches by itself, or that was read for another purpose. */
export const AT_ONCE: Turn = {
  kind: 'turn',
  takePermit: () => null,
  admitted: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

/** Before a document is claimed and read: waits until its turn at the gate is near, or postpones it unread. */
export async function approachGate(
  { job }: Delivery,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<Turn | JobVerdict> {
  const { key } = job
  const waiting = await waitOfSuspect(job, deps)
  if (waiting !== null) return waiting
  const handling = handlingOf(key, deps)
  if (handling?.kind !== 'parse' || deps.source.addressOf?.(key) !== undefined) return AT_ONCE
  const turn = await deps.gate.approach({ key }, signal)
  if (turn.kind === 'turn') return turn
  const { waitMs: afterMs, reason } = turn
  deps.events.emit('document:postponed', { key, afterMs, counted: false, reason })
  return postpone(afterMs, reason)
}

/** A suspect waits, unread, until only suspects are left; null for all others, and when it is its turn. */
async function waitOfSuspect(
  job: DocumentJob,
  { refusals, view, backlog }: Pick<IngestDeps, 'refusals' | 'view' | 'backlog'>,
): Promise<JobVerdict | null> {
  const { suspicion } = job
  if (suspicion === undefined) return null
  const moreCome = view.role.kind === 'lists' && view.role.listed === null
  const afterMs = refusals.waitMs(job, suspicion, await backlog(), moreCome)
  if (afterMs === null) return null
  const reason = 'the service refused it; it is tried again behind the others'
  return { kind: 'postpone', afterMs, counted: false, reason, suspicion: refusals.carriedOn(suspicion) }
}
