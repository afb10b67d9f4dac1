import { setMaxListeners } from 'node:events'
import { giveUpDelivery } from '#src/ingest/document/bury.ts'
import type { Tier } from '#src/ingest/document/deps.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import { type Consumer, consume } from '#src/queue/consume.ts'
import type { IngestPipeline } from './pipeline.ts'

const HAND_BACK: JobVerdict = { kind: 'postpone', afterMs: 0, counted: false, reason: 'the process ends' }

/**
 * Takes jobs of one pipeline, and does them in the slots of the process. A job that is taken while other pipelines have
 * all slots waits here; when the process ends, it goes back untouched.
 */
export function consumeWithSharedSlots({ connection, id, shared, settings, ingest }: IngestPipeline): Consumer {
  const stopping = new AbortController()
  // As many listeners as documents wait.
  setMaxListeners(0, stopping.signal)
  const { main, routed } = ingest.tiers
  const deps = { ...ingest, tiers: { main: waitingUntil(stopping.signal, main), routed } }
  const { concurrency, takeoverMs } = settings
  const consumer = consume({
    connection,
    pipeline: id,
    concurrency,
    timing: { lockMs: takeoverMs, stalledCheckMs: 0.4 * takeoverMs },
    handle: (delivery, cut) =>
      shared.slots(() => (stopping.signal.aborted ? HAND_BACK : ingestDocument(delivery, deps, cut))),
    giveUp: (delivery, reason, cut) => giveUpDelivery(delivery, reason, ingest, cut),
    onError: (error, key) => ingest.run.events.emit('process:error', { key, error }),
  })
  return {
    get active() {
      return consumer.active
    },
    stop(options) {
      stopping.abort()
      return consumer.stop(options)
    },
  }
}

/** A tier at whose gate, and in the window before it, no document of this consumer waits any longer once `stopping` has aborted. */
function waitingUntil(stopping: AbortSignal, tier: Tier): Tier {
  const { gate, readWindow } = tier
  return {
    ...tier,
    gate: { acquire: (want, signal) => gate.acquire({ ...want, until: stopping }, signal) },
    readWindow: { enter: (signal) => readWindow.enter(signal, stopping) },
  }
}
