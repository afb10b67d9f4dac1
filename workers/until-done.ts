import { setTimeout as sleep } from 'node:timers/promises'
import type { KeySet } from '#src/document/key-set.ts'
import { seen } from '#src/document/outcome.ts'
import type { Loss } from '#src/ledger/process-lease.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { IngestPipeline } from './pipeline.ts'

/** Polling interval of the end of a run. */
const DONE_POLL_MS = 50

/** Scans after which documents are reported as unfinished that no scan could bring to an end. */
const MOST_SCANS = 3

export interface Brought<T> {
  readonly value: T
  /** Documents that were brought in and did not come to an end. */
  readonly unfinished: number
}

/**
 * Brings documents into the queue and waits until it is empty; again where Redis lost data meanwhile, because an empty
 * queue then says nothing, and where documents that were brought in are unfinished.
 */
export async function untilDone<T>(
  pipeline: IngestPipeline,
  bring: (signal: AbortSignal) => Promise<T>,
  countUnfinished: (value: T) => Promise<number>,
  signal: AbortSignal,
): Promise<Brought<T>> {
  const { data, events } = pipeline
  for (let scans = 1; ; scans++) {
    await data.complete(signal)
    const losses = data.losses()
    const value = await unlessLost(pipeline, signal, async (cut) => {
      const brought = await bring(cut)
      await drained(pipeline, cut)
      await data.resync()
      return { brought }
    })
    if (value !== null && data.losses() === losses) {
      const unfinished = await countUnfinished(value.brought)
      if (unfinished === 0 || scans >= MOST_SCANS) return { value: value.brought, unfinished }
      events.emit('scan:again', { reason: 'unfinished' })
      continue
    }
    scans = 0
    events.emit('scan:again', { reason: value === null ? 'data' : 'restart' })
  }
}

/** Null where Redis lost data meanwhile: what was going on is cut off, it would go on with half of the ledger. */
async function unlessLost<T>(
  { data }: IngestPipeline,
  signal: AbortSignal,
  work: (cut: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const lost = new AbortController()
  const stopListening = data.onLoss(({ kind }: Loss) => {
    if (kind === 'data') lost.abort(new Error('Redis lost data'))
  })
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } catch (error) {
    if (lost.signal.aborted && !signal.aborted) return null
    throw error
  } finally {
    stopListening()
  }
}

async function drained({ queue }: IngestPipeline, signal: AbortSignal): Promise<void> {
  while ((await queue.backlog()) > 0) await sleep(DONE_POLL_MS, undefined, { signal })
}

/** Documents of a listing that the ledger does not know, or has as pending. */
export async function unfinishedOf(listed: KeySet, ledger: Ledger, signal: AbortSignal): Promise<number> {
  const counts = await ledger.counts()
  const unknown = Math.max(0, listed.size - seen(counts))
  if (counts.pending === 0) return unknown
  let pending = 0
  for await (const [key, { outcome }] of ledger.entries(signal)) {
    if (outcome === 'pending' && listed.has(key)) pending += 1
  }
  return Math.max(unknown, pending)
}
