import { setTimeout as sleep } from 'node:timers/promises'
import { Deletions } from '#src/ingest/scan/follow-deletions.ts'
import { followSource } from '#src/ingest/scan/follow-source.ts'
import type { SourceWatch } from '#src/ports/source.ts'
import type { Workshop } from './pipeline.ts'

/** What fails sooner is a mistake in the settings, and is thrown: a bucket, a queue or a folder that is not there. */
const MISTAKE_MS = 10_000

/** Between two tries to reach a source that was there. */
const PAUSE_MS = 15_000

/**
 * Follows a source for good, deletions included: where it cannot be reached any more, that is reported, and it is begun
 * anew with a listing.
 */
export async function keepFollowing(workshop: Workshop, signal: AbortSignal): Promise<void> {
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const deletions = new Deletions(workshop.gone, { ...workshop.scan, queue: workshop.queue })
  // A worker that finds a document vanished when its turn comes has seen a deletion too.
  workshop.events.on('document:settled', ({ failure }) => {
    if (failure?.code === 'vanished') deletions.noticed()
  })
  const looking = deletions.run(either)
  try {
    await Promise.race([followAnew(workshop, () => deletions.noticed(), either), looking])
  } finally {
    ending.abort(new Error('the source is no longer followed'))
    await looking.catch(() => undefined)
  }
}

async function followAnew(workshop: Workshop, onDeletion: () => void, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  const watch = await workshop.watch()
  const restore = (): void => void restoreLost(workshop, watch, signal)
  signal.addEventListener('abort', workshop.data.onLoss(restore), { once: true })
  for (;;) {
    try {
      return await followSource(watch, workshop.scan, onDeletion, signal)
    } catch (error) {
      if (signal.aborted || performance.now() - startedAt < MISTAKE_MS) throw error
      workshop.events.emit('process:error', { key: null, error })
    }
    await sleep(PAUSE_MS, undefined, { signal })
  }
}

/** The ledger first: what it does not know is enqueued. Where that fails the listing finds all the same what is missing. */
async function restoreLost(workshop: Workshop, watch: SourceWatch, signal: AbortSignal): Promise<void> {
  try {
    await workshop.data.settle()
    await workshop.data.complete(signal)
  } catch (error) {
    if (signal.aborted) return
    workshop.events.emit('process:error', { key: null, error })
  }
  watch.rescan()
}
