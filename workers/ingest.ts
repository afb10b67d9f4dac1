import { setTimeout as sleep } from 'node:timers/promises'
import { retryDeadLetters } from '#src/ingest/retry-dead-letters.ts'
import { scanSource } from '#src/ingest/scan-source.ts'
import { sweepGone } from '#src/ingest/sweep-gone.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import type { Consumer } from '#src/queue/consume.ts'
import type { Workshop } from './compose.ts'
import { keepFollowing } from './follow.ts'
import type { Stopping } from './lifecycle.ts'

/** How often a run looks whether everything is done. */
const DONE_POLL_MS = 50

export type WorkerEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }
  | { readonly kind: 'interrupted' }

export interface WorkerOptions {
  /**
   * `scan`: list the source, and end when all that it held is done. `follow`: keep watching it, or scan it at set times. `none`: jobs of others.
   * A function chooses dead letters; they are driven again, and it ends when they are done.
   */
  readonly intake: 'scan' | 'follow' | 'none' | ((letter: DeadLetter) => boolean)
  /** `wait`: leave it to the gate to probe, once a minute, and go on when the account is mended. */
  readonly onHalt: 'stop' | 'wait'
}

/** What somebody can mend while workers wait. */
const MENDABLE: readonly HaltCause[] = ['credits', 'key', 'permission', 'budget', 'engine', 'service']

/**
 * Takes jobs until there are none left after a scan, or until it is stopped. However it ends, intake
 * stops first, then what is under way may finish for the grace period, then it is cut and handed back.
 */
export async function runWorker(
  workshop: Workshop,
  stopping: Stopping,
  { intake, onHalt }: WorkerOptions,
): Promise<WorkerEnd> {
  let halted: WorkerEnd | null = null
  const halt = new AbortController()
  workshop.events.on('run:halted', (event) => {
    if (onHalt === 'wait' && MENDABLE.includes(event.cause)) return
    halted ??= { kind: 'halted', ...event }
    halt.abort(new Error(event.message))
  })
  await workshop.probe()
  const ending = AbortSignal.any([stopping.soft, halt.signal])
  const consumer = workshop.consume()
  try {
    await take(intake, workshop, ending)
  } catch (error) {
    if (!ending.aborted) throw error
  } finally {
    await stopConsumer(consumer, workshop.settings.graceMs, stopping.hard)
  }
  return halted ?? (stopping.soft.aborted ? { kind: 'interrupted' } : { kind: 'complete' })
}

async function take(intake: WorkerOptions['intake'], workshop: Workshop, signal: AbortSignal): Promise<void> {
  if (intake === 'none') return untilAborted(signal)
  if (intake === 'follow') {
    if (workshop.settings.every === undefined) return keepFollowing(workshop, signal)
    return workshop.onSchedule(workshop.settings.every, (due) => scanAndDrain(workshop, due), signal)
  }
  if (intake === 'scan') return scanAndDrain(workshop, signal)
  await retryDeadLetters(intake, workshop.scan, signal)
  await drained(workshop, signal)
}

async function scanAndDrain(workshop: Workshop, signal: AbortSignal): Promise<void> {
  const { listed } = await scanSource(workshop.scan, signal)
  await drained(workshop, signal)
  // After the last job: one of a document that went away meanwhile has ended by now.
  const gone = await sweepGone(listed, workshop.gone, workshop.scan, signal)
  workshop.events.emit('sweep:finished', gone)
}

async function drained({ queue }: Workshop, signal: AbortSignal): Promise<void> {
  while ((await queue.backlog()) > 0) await sleep(DONE_POLL_MS, undefined, { signal })
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const aborted = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => aborted.resolve(), { once: true })
  await aborted.promise
}

/** A second signal during the grace period ends it: `stop` is called again with none left. */
async function stopConsumer(consumer: Consumer, graceMs: number, cut: AbortSignal): Promise<void> {
  const graceful = consumer.stop({ graceMs: cut.aborted ? 0 : graceMs })
  const cutting = untilAborted(cut).then(() => consumer.stop({ graceMs: 0 }))
  await Promise.race([graceful, cutting])
}
