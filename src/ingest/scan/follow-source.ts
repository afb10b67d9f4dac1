import { describeSystemError } from '#src/kit/describe-system-error.ts'
import type { Events } from '#src/events.ts'
import type { SourceChange, SourceWatch } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { ScanDeps } from '../document/deps.ts'
import { backlogBelowLimit, scanBatch } from './scan-source.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { type GonePolicy, sweepGone } from './sweep-gone.ts'
import { isListedDocument } from './unlisted.ts'

/**
 * Follows a source until `signal` aborts. It compares every reported change with the ledger, like an item of a listing.
 * Duplicate or late reports, or several watchers, therefore enqueue nothing twice. Deletions are only reported
 * (`Deletions`).
 */
export async function followSource(
  watch: SourceWatch,
  deps: ScanDeps,
  onDeletion: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { events } = deps.run
  const onListed = (): void => {
    events.emit('source:listed')
    events.emit('dependency:works', { dependency: 'source' })
  }
  for await (const changes of reported(watch.changes(signal, onListed), events, signal)) {
    const items = changes.filter(isThere)
    if (items.length < changes.length) onDeletion()
    await backlogBelowLimit(deps, signal)
    await scanBatch(items, deps, signal)
  }
}

/** A failed listing is an outage of the source. An error of the work on its items does not pass here. */
async function* reported<T>(changes: AsyncIterable<T>, events: Events, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* changes
  } catch (error) {
    if (!signal.aborted) {
      const cause = describeSystemError(error) ?? (error instanceof Error ? error.message : String(error))
      events.emit('dependency:failed', { dependency: 'source', cause })
    }
    throw error
  }
}

const isThere = (change: SourceChange): change is SourceItem => change.kind !== 'gone'

/**
 * Debounce in milliseconds: a sweep starts after this time without another deletion, because a folder disappears file
 * by file.
 */
const QUIET_MS = 2_000

/** Interval in milliseconds between sweeps without a reported deletion: for those that the watch missed. */
const SWEEP_EVERY_MS = 3_600_000

/** A sweep is followed by a pause of this multiple of its duration, at any rate of deletions. */
const REST_FACTOR = 3

/** Delay before a retry of a failed sweep, in milliseconds. */
const TRY_AGAIN_MS = 30_000

const TICK_MS = 200

/**
 * Handles deletions of a watch. A reported deletion proves nothing: an unplugged disk reports the same, file by file.
 * It only schedules a sweep. The sweep lists the complete source, and applies the rules and the safety limit of a run's
 * scan. A failed listing decides nothing: it is reported and retried.
 */
export class Deletions {
  readonly #policy: GonePolicy
  readonly #deps: ScanDeps
  #nextSweepAt: number
  #notBefore = 0

  constructor(policy: GonePolicy, deps: ScanDeps) {
    this.#policy = policy
    this.#deps = deps
    this.#nextSweepAt = deps.run.clock.monotonic() + QUIET_MS
  }

  /** Notes a reported deletion. */
  recordDeletion(): void {
    this.#nextSweepAt = this.#deps.run.clock.monotonic() + QUIET_MS
  }

  /** Sweeps at the start of the watch, and then whenever due, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { monotonic: now, sleep } = this.#deps.run.clock
    while (!signal.aborted) {
      if (now() >= Math.max(this.#nextSweepAt, this.#notBefore)) {
        const startedAt = now()
        this.#nextSweepAt = startedAt + SWEEP_EVERY_MS
        await this.#sweepOrReport(signal)
        this.#notBefore = now() + REST_FACTOR * (now() - startedAt)
      }
      await sleep(TICK_MS, signal)
    }
  }

  async #sweepOrReport(signal: AbortSignal): Promise<void> {
    try {
      await this.#sweep(signal)
    } catch (error) {
      if (signal.aborted) throw error
      this.#deps.run.events.emit('process:error', { key: null, error })
      this.#nextSweepAt = this.#deps.run.clock.monotonic() + TRY_AGAIN_MS
    }
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { stores, run, queue, policy } = this.#deps
    const listing = { listed: new KeySet(), documents: 0, leftOut: new KeySet() }
    for await (const item of stores.source.list(signal)) {
      if (item.kind === 'left_out') listing.leftOut.add(item.key)
      else listing.listed.add(item.key)
      if (isListedDocument(item, policy)) listing.documents += 1
    }
    // A document still in the queue belongs to its worker, which detects that it vanished.
    const leavePending = (await queue.backlog()) > 0
    const gone = await sweepGone(listing, { ...this.#policy, leavePending }, this.#deps, signal)
    run.events.emit('sweep:finished', gone)
  }
}
