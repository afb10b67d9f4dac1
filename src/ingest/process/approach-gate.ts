import type { Delivery, JobVerdict } from '#src/ports/queue.ts'
import type { Gate, Turn } from '#src/ports/gate.ts'
import type { Source } from '#src/ports/source.ts'
import type { IngestDeps, Recipes, Reporting } from '../deps.ts'
import { handlingOf } from './handling.ts'
import { postpone } from './job-verdicts.ts'
import { waitOfSuspect } from './ruled-verdict.ts'

/** Of a document that needs no permit, that the service fetches by itself, or that was read for another purpose. */
export const AT_ONCE: Turn = {
  kind: 'turn',
  takePermit: () => null,
  admitted: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

interface ApproachDeps extends Reporting, Recipes, Pick<IngestDeps, 'refusals' | 'view' | 'backlog'> {
  readonly source: Source
  readonly gate: Gate
}

/** Before a document is claimed and read: waits until its turn at the gate is near, or postpones it unread. */
export async function approachGate(
  { job }: Delivery,
  deps: ApproachDeps,
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
