import { setTimeout as sleep } from 'node:timers/promises'
import { Deletions } from '#src/ingest/scan/follow-deletions.ts'
import { followSource } from '#src/ingest/scan/follow-source.ts'
import type { SourceWatch } from '#src/ports/source.ts'
import type { IngestPipeline } from './pipeline.ts'

/** What fails sooner is a mistake in the settings, and is thrown: a bucket, a queue or a folder that is not there. */
const MISTAKE_MS = 10_000

/** Between two tries to reach a source that was there. */
const PAUSE_MS = 15_000

/**
 * Follows a source for good, deletions included: where it cannot be reached any more, that is reported, and it is begun
 * anew with a listing.
 */
export async function keepFollowing(pipeline: IngestPipeline, signal: AbortSignal): Promise<void> {
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const deletions = new Deletions(pipeline.gone, { ...pipeline.scan, queue: pipeline.queue })
  // A worker that finds a document vanished when its turn comes has seen a deletion too.
  pipeline.events.on('document:settled', ({ failure }) => {
    if (failure?.code === 'vanished') deletions.noticed()
  })
  const sweeping = deletions.run(either)
  try {
    await Promise.race([followAnew(pipeline, () => deletions.noticed(), either), sweeping])
  } finally {
    ending.abort(new Error('the source is no longer followed'))
    await sweeping.catch(() => undefined)
  }
}

async function followAnew(pipeline: IngestPipeline, onDeletion: () => void, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  const watch = await pipeline.watch()
  const restore = (): void => void restoreLost(pipeline, watch, signal)
  signal.addEventListener('abort', pipeline.data.onLoss(restore), { once: true })
  for (;;) {
    try {
      return await followSource(watch, pipeline.scan, onDeletion, signal)
    } catch (error) {
      if (signal.aborted || performance.now() - startedAt < MISTAKE_MS) throw error
      pipeline.events.emit('process:error', { key: null, error })
    }
    await sleep(PAUSE_MS, undefined, { signal })
  }
}

/** The ledger first: what it does not know is enqueued. Where that fails the listing finds all the same what is missing. */
async function restoreLost(pipeline: IngestPipeline, watch: SourceWatch, signal: AbortSignal): Promise<void> {
  try {
    await pipeline.data.resync()
    await pipeline.data.complete(signal)
  } catch (error) {
    if (signal.aborted) return
    pipeline.events.emit('process:error', { key: null, error })
  }
  watch.rescan()
}
