import { setMaxListeners } from 'node:events'
import type { Tier } from '#src/ingest/document/deps.ts'
import type * as ingestion from '#src/ingest/ingest-document.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { Stoppable } from '#src/ports/stoppable.ts'
import { consume } from '#src/queue/consume.ts'
import type { IngestPipeline } from './pipeline.ts'

const HAND_BACK: JobVerdict = { kind: 'postpone', afterMs: 0, counted: false, reason: 'the process ends' }

/**
 * Takes jobs of one pipeline and processes them in the slots of the process. A job waits here while other pipelines
 * have all slots. At the end of the process a waiting job returns to the queue unchanged.
 */
export function consumeWithSharedSlots({ connection, id, shared, settings, ingest }: IngestPipeline): Stoppable {
  const stopping = new AbortController()
  // Each waiting document adds a listener.
  setMaxListeners(0, stopping.signal)
  const { main, routed } = ingest.tiers
  const deps = { ...ingest, tiers: { main: waitingUntil(stopping.signal, main), routed } }
  const { concurrency, takeoverMs } = settings
  // Loaded with the first document: a run without work starts without the module.
  let ingesting: Promise<typeof ingestion> | null = null
  const consumer = consume({
    connection,
    pipeline: id,
    concurrency,
    timing: { lockMs: takeoverMs, stalledCheckMs: 0.4 * takeoverMs },
    handle: (delivery, cut) =>
      shared.slots(async () => {
        const { ingestDocument } = await (ingesting ??= import('#src/ingest/ingest-document.ts'))
        return stopping.signal.aborted ? HAND_BACK : ingestDocument(delivery, deps, cut)
      }),
    giveUp: async (delivery, reason, cut) =>
      (await import('#src/ingest/document/bury.ts')).giveUpDelivery(delivery, reason, ingest, cut),
    onError: (error, key) => ingest.run.events.emit('process:error', { key, error }),
  })
  return {
    stop(options) {
      stopping.abort()
      return consumer.stop(options)
    },
  }
}

/** A tier whose gate and read window stop waiting for documents of this consumer when `stopping` aborts. */
function waitingUntil(stopping: AbortSignal, tier: Tier): Tier {
  const { gate, readWindow } = tier
  return {
    ...tier,
    gate: { acquire: (want, signal) => gate.acquire({ ...want, until: stopping }, signal) },
    readWindow: { enter: (signal) => readWindow.enter(signal, stopping) },
  }
}
