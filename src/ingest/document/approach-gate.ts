import type { Delivery, DocumentJob, JobVerdict } from '#src/ports/queue.ts'
import type { DocumentDeps, Run, Tier } from './deps.ts'
import { handlingOf } from './preflight.ts'
import { postpone } from './purchase.ts'
import { type Reading, UNCOUNTED_READING } from './read-window.ts'

/** Delay of a document in the queue after its wait to be read, in milliseconds. */
const UNREAD_MS = 5_000

/** Runs before the claim and the read of a document: waits until its permit is near, or postpones it unread. */
export async function approachGate(
  { job }: Delivery,
  { readWindow }: Pick<Tier, 'readWindow'>,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Reading | JobVerdict> {
  const { key } = job
  const waiting = await suspectWait(job, deps.run)
  if (waiting !== null) return waiting
  const handling = handlingOf(key, deps.policy)
  if (handling?.kind !== 'parse' || deps.stores.source.addressOf?.(key) !== undefined) return UNCOUNTED_READING
  const reading = await readWindow.enter(signal)
  if (reading !== null) return reading
  const afterMs = Math.round(UNREAD_MS * (1 + 0.25 * deps.run.random()))
  const reason = 'earlier documents still wait for the gate'
  deps.run.events.emit('document:postponed', { key, afterMs, counted: false, reason })
  return postpone(afterMs, reason)
}

/** Postpones a suspect, unread, until only suspects are left; null for all others, and at its turn. */
async function suspectWait(
  job: DocumentJob,
  { refusals, view, backlog }: Pick<Run, 'refusals' | 'view' | 'backlog'>,
): Promise<JobVerdict | null> {
  const { suspicion } = job
  if (suspicion === undefined) return null
  const moreCome = view.role.kind === 'lists' && view.role.listed === null
  const afterMs = refusals.suspectWaitMs(job, suspicion, await backlog(), moreCome)
  if (afterMs === null) return null
  const reason = 'the service refused it, so it is retried after the other documents'
  return { kind: 'postpone', afterMs, counted: false, reason, suspicion: refusals.updatedSuspicion(suspicion) }
}
