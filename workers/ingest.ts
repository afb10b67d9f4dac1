import { setTimeout as sleep } from 'node:timers/promises'
import type { KeySet } from '#src/kit/key-set.ts'
import { seen } from '#src/document/outcome.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import { Deletions, followSource } from '#src/ingest/scan/follow-source.ts'
import { scanSource, type ScanSummary } from '#src/ingest/scan/scan-source.ts'
import { sweepGone } from '#src/ingest/scan/sweep-gone.ts'
import type { Loss } from '#src/ledger/process-lease.ts'
import type { LastRun } from '#src/ledger/redis-last-run.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { SourceWatch } from '#src/ports/source.ts'
import type { Stoppable } from '#src/ports/stoppable.ts'
import { consumeWithSharedSlots } from './pipeline/consume-with-shared-slots.ts'
import type { Stopping, StopSignal } from './process/lifecycle.ts'
import type { IngestPipeline } from './pipeline/pipeline.ts'

type WorkerEnd =
  /** `unfinished`: number of listed documents without a final outcome, for any reason. */
  | { readonly kind: 'complete'; readonly unfinished: number }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }
  | { readonly kind: 'interrupted'; readonly by: StopSignal | null }

export interface WorkerOptions {
  /**
   * `scan`: lists the source and ends when all its documents are done. `follow`: watches the source, or scans it at set
   * times. `none`: takes jobs of other processes. A function selects dead letters; the worker retries them and ends
   * when they are done.
   */
  readonly intake: 'scan' | 'follow' | 'none' | ((letter: DeadLetter) => boolean)
  /** `wait`: the gate probes the account once a minute, and work resumes when a probe succeeds. */
  readonly onHalt: 'stop' | 'wait'
}

/** Halts that an operator can end while workers wait. */
const RECOVERABLE_HALTS: readonly HaltCause[] = ['credits', 'key', 'permission', 'proxy', 'budget', 'engine', 'service']

/**
 * Takes jobs until none are left after a scan, or until it is stopped. At every end intake stops first, then work in
 * flight may finish within the grace period. The rest is cut off and released to the queue.
 */
export async function runWorker(
  pipeline: IngestPipeline,
  stopping: Stopping,
  options: WorkerOptions,
): Promise<WorkerEnd> {
  const { runRecord } = pipeline
  await runRecord.begin(commandOf(options.intake))
  try {
    const end = await work(pipeline, stopping, options)
    await runRecord.end(end)
    return end
  } catch (error) {
    await runRecord.end({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

function commandOf(intake: WorkerOptions['intake']): LastRun['command'] | null {
  if (intake === 'none') return null
  return intake === 'scan' ? 'run' : intake === 'follow' ? 'watch' : 'retry'
}

async function work(
  pipeline: IngestPipeline,
  stopping: Stopping,
  { intake, onHalt }: WorkerOptions,
): Promise<WorkerEnd> {
  let halted: WorkerEnd | null = null
  let unfinished = 0
  const halt = new AbortController()
  pipeline.events.on('run:halted', (event) => {
    if (onHalt === 'wait' && RECOVERABLE_HALTS.includes(event.cause)) return
    halted ??= { kind: 'halted', ...event }
    halt.abort(new Error(event.message))
  })
  // A new run asks the service again: credits and key may differ from an earlier run.
  await pipeline.requests.gate.limiter.resume()
  if (intake !== 'none') await pipeline.beginRun()
  const ending = AbortSignal.any([stopping.soft, halt.signal])
  stopping.setGracePeriod(pipeline.settings.graceMs)
  // Set before the first job, which may belong to an earlier run: its document may be excluded now, or its source
  // replaced.
  if (intake === 'scan') pipeline.ingest.run.view.role = { kind: 'lists', listed: null }
  if ((await pipeline.queue.backlog()) > 0) await pipeline.scan.claimSource?.()
  const consumer = consumeWithSharedSlots(pipeline)
  try {
    unfinished = await runIntake(intake, pipeline, ending)
  } catch (error) {
    if (!ending.aborted) throw error
  } finally {
    await stopConsumer(consumer, pipeline.settings.graceMs, stopping.hard)
  }
  if (halted !== null) return halted
  return stopping.soft.aborted ? { kind: 'interrupted', by: stopping.firstSignal() } : endOf(pipeline, unfinished)
}

/** If every document was refused, in this run and before, no document is at fault: the service refuses the run. */
async function endOf({ ingest, ledger }: IngestPipeline, unfinished: number): Promise<WorkerEnd> {
  const { done, partial, gone } = await ledger.counts()
  const refused = ingest.run.refusals.refusalWithoutSuccess()
  if (refused === null || done + partial + gone > 0) return { kind: 'complete', unfinished }
  return {
    kind: 'halted',
    cause: refused.cause,
    message: `the service refused every document. ${refused.failure.message}`,
  }
}

/** Returns the number of its documents without a final outcome. */
async function runIntake(
  intake: WorkerOptions['intake'],
  pipeline: IngestPipeline,
  signal: AbortSignal,
): Promise<number> {
  if (intake === 'scan') return scanAndDrain(pipeline, signal)
  if (typeof intake === 'function') {
    // Every dead letter counts as listed: its document was in the source when it failed.
    pipeline.ingest.run.view.role = { kind: 'lists', listed: { has: () => true }, retries: true }
    const { retryDeadLetters } = await import('#src/ingest/scan/retry-dead-letters.ts')
    const retry = (cut: AbortSignal): Promise<number> => retryDeadLetters(intake, pipeline.scan, cut)
    return (await enqueueUntilDone(pipeline, retry, async () => 0, signal)).unfinished
  }
  await runUntilStopped(intake, pipeline, signal)
  return 0
}

async function runUntilStopped(
  intake: 'follow' | 'none',
  pipeline: IngestPipeline,
  signal: AbortSignal,
): Promise<void> {
  if (intake === 'none') return untilAborted(signal)
  pipeline.ingest.run.view.role = { kind: 'follows' }
  const { connection, id, data, events } = pipeline
  const { every, takeoverMs } = pipeline.settings
  if (every === undefined) return keepFollowing(pipeline, signal)
  const onTick = async (dueAt: Date, due: AbortSignal): Promise<void> => {
    events.emit('schedule:due', { dueAt })
    await scanAndDrain(pipeline, due)
  }
  const onNext = (dueAt: Date): boolean => events.emit('schedule:next', { dueAt })
  const onError = (error: unknown): boolean => events.emit('process:error', { key: null, error })
  const { onLoss } = data
  const { keepSchedule } = await import('#src/queue/schedule.ts')
  return keepSchedule({ connection, pipeline: id, every, takeoverMs, onTick, onNext, onError, onLoss }, signal)
}

async function scanAndDrain(pipeline: IngestPipeline, signal: AbortSignal): Promise<number> {
  const { value, unfinished } = await enqueueUntilDone(
    pipeline,
    (cut) => listAndScan(pipeline, cut),
    ({ listed }) => unfinishedOf(listed, pipeline.ledger, signal),
    signal,
  )
  // Runs after the last job: the job of a document that vanished has ended by now.
  const gone = await sweepGone(value, pipeline.gone, pipeline.scan, signal)
  pipeline.events.emit('sweep:finished', gone)
  return unfinished
}

/** A listing is complete only after its end: the view learns the listed documents then. */
async function listAndScan({ scan, ingest }: IngestPipeline, signal: AbortSignal): Promise<ScanSummary> {
  const { view } = ingest.run
  view.role = { kind: 'lists', listed: null }
  const summary = await scanSource(scan, signal)
  view.role = { kind: 'lists', listed: summary.listed }
  return summary
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const aborted = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => aborted.resolve(), { once: true })
  await aborted.promise
}

/** A second signal during the grace period ends it: `stop` is called again without a grace period. */
async function stopConsumer(consumer: Stoppable, graceMs: number, cut: AbortSignal): Promise<void> {
  const graceful = consumer.stop({ graceMs: cut.aborted ? 0 : graceMs })
  const cutting = untilAborted(cut).then(() => consumer.stop({ graceMs: 0 }))
  await Promise.race([graceful, cutting])
}

/** Polling interval of the end of a run. */
const DONE_POLL_MS = 50

/** Number of scans before unfinished documents are reported. */
const MAX_SCANS = 3

interface Enqueued<T> {
  readonly value: T
  /** Number of enqueued documents without a final outcome. */
  readonly unfinished: number
}

/**
 * Enqueues documents and waits until the queue is empty. Repeats if Redis lost data, because an empty queue then proves
 * nothing. Repeats also if enqueued documents are unfinished.
 */
async function enqueueUntilDone<T>(
  pipeline: IngestPipeline,
  enqueue: (signal: AbortSignal) => Promise<T>,
  countUnfinished: (value: T) => Promise<number>,
  signal: AbortSignal,
): Promise<Enqueued<T>> {
  const { data, events } = pipeline
  for (let scans = 1; ; scans++) {
    await data.complete(signal)
    const losses = data.losses()
    const value = await abortOnLoss(pipeline, signal, async (cut) => {
      const brought = await enqueue(cut)
      await waitUntilDrained(pipeline, cut)
      await data.resync()
      return { brought }
    })
    if (value !== null && data.losses() === losses) {
      const unfinished = await countUnfinished(value.brought)
      if (unfinished === 0 || scans >= MAX_SCANS) return { value: value.brought, unfinished }
      events.emit('scan:again', { reason: 'unfinished' })
      continue
    }
    scans = 0
    events.emit('scan:again', { reason: value === null ? 'data' : 'restart' })
  }
}

/** Null if Redis lost data: the work is cut off, because it would continue with a partial ledger. */
async function abortOnLoss<T>(
  { data }: IngestPipeline,
  signal: AbortSignal,
  pass: (cut: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const lost = new AbortController()
  const stopListening = data.onLoss(({ kind }: Loss) => {
    if (kind === 'data') lost.abort(new Error('Redis lost data'))
  })
  try {
    return await pass(AbortSignal.any([signal, lost.signal]))
  } catch (error) {
    if (lost.signal.aborted && !signal.aborted) return null
    throw error
  } finally {
    stopListening()
  }
}

async function waitUntilDrained({ queue }: IngestPipeline, signal: AbortSignal): Promise<void> {
  while ((await queue.backlog()) > 0) await sleep(DONE_POLL_MS, undefined, { signal })
}

/** Number of listed documents that the ledger does not know, or has as pending. */
async function unfinishedOf(listed: KeySet, ledger: Ledger, signal: AbortSignal): Promise<number> {
  const counts = await ledger.counts()
  const unknown = Math.max(0, listed.size - seen(counts))
  if (counts.pending === 0) return unknown
  let pending = 0
  for await (const [key, { outcome }] of ledger.entries(signal)) {
    if (outcome === 'pending' && listed.has(key)) pending += 1
  }
  return Math.max(unknown, pending)
}

/** A failure before this threshold is a mistake in the settings and is thrown: a missing bucket, queue or folder. */
const SETUP_ERROR_MS = 10_000

/** Retry delay for a source that was reachable before. */
const RESTART_DELAY_MS = 15_000

/**
 * Follows a source indefinitely, deletions included. If the source becomes unreachable, the worker reports it and
 * restarts with a listing.
 */
async function keepFollowing(pipeline: IngestPipeline, signal: AbortSignal): Promise<void> {
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const deletions = new Deletions(pipeline.gone, { ...pipeline.scan, queue: pipeline.queue })
  // A job whose document has vanished also reveals a deletion.
  pipeline.events.on('document:settled', ({ failure }) => {
    if (failure?.code === 'vanished') deletions.recordDeletion()
  })
  const sweeping = deletions.run(either)
  try {
    await Promise.race([followWithRestarts(pipeline, () => deletions.recordDeletion(), either), sweeping])
  } finally {
    ending.abort(new Error('the source cannot be watched any longer'))
    await sweeping.catch(() => undefined)
  }
}

async function followWithRestarts(
  pipeline: IngestPipeline,
  onDeletion: () => void,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  const watch = await pipeline.watch()
  const restore = (): void => void restoreLost(pipeline, watch, signal)
  signal.addEventListener('abort', pipeline.data.onLoss(restore), { once: true })
  for (;;) {
    try {
      return await followSource(watch, pipeline.scan, onDeletion, signal)
    } catch (error) {
      if (signal.aborted || performance.now() - startedAt < SETUP_ERROR_MS) throw error
      pipeline.events.emit('process:error', { key: null, error })
    }
    await sleep(RESTART_DELAY_MS, undefined, { signal })
  }
}

/**
 * Completes the ledger first: the rescan enqueues documents that the ledger lacks. After a failure the rescan still
 * finds lost documents.
 */
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
