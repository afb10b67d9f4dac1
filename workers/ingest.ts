import { setTimeout as sleep } from 'node:timers/promises'
import { scanSource } from '#src/ingest/scan-source.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import type { Pipeline } from './compose.ts'
import type { Stopping } from './lifecycle.ts'

/** How often a run looks whether everything is done. */
const DONE_POLL_MS = 50

export type WorkerEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }
  | { readonly kind: 'interrupted' }

/**
 * Takes jobs until there are none left after a scan (`scan: true`), or until it is stopped. However it ends, intake
 * stops first, then what is under way may finish for the grace period, then it is cut and handed back.
 */
export async function runWorker(
  pipeline: Pipeline,
  stopping: Stopping,
  { scan }: { readonly scan: boolean },
): Promise<WorkerEnd> {
  let halted: WorkerEnd | null = null
  const halt = new AbortController()
  pipeline.events.on('run:halted', (event) => {
    halted ??= { kind: 'halted', ...event }
    halt.abort(new Error(event.message))
  })
  const intake = AbortSignal.any([stopping.soft, halt.signal])
  const consumer = await pipeline.consume()
  try {
    await (scan ? scanAndDrain(pipeline, intake) : untilAborted(intake))
  } catch (error) {
    if (!intake.aborted) throw error
  } finally {
    await consumer.stop({ graceMs: pipeline.graceMs, cut: stopping.hard })
  }
  return halted ?? (stopping.soft.aborted ? { kind: 'interrupted' } : { kind: 'complete' })
}

async function scanAndDrain(pipeline: Pipeline, signal: AbortSignal): Promise<void> {
  await scanSource(pipeline.scan, signal)
  while ((await pipeline.queue.backlog()) > 0) await sleep(DONE_POLL_MS, undefined, { signal })
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const aborted = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => aborted.resolve(), { once: true })
  await aborted.promise
}
