import { describeSystemError } from '#src/kit/describe-system-error.ts'
import type { Events } from '#src/events.ts'
import type { SourceChange, SourceWatch } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { ScanDeps } from '../document/deps.ts'
import { backlogBelowLimit, scanBatch } from './scan-source.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { type GonePolicy, sweepGone } from './sweep-gone.ts'

/**
 * Keeps following a source until `signal` aborts: every change that a watch reports is compared with the ledger like
 * an item of a listing, so reports that come twice, or late, or from several watchers, enqueue nothing twice. What was
 * seen to go is only reported (`Deletions`).
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

/** A listing that fails is an outage of the source. An error of the work on its items does not come by here. */
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

/** Debounce: a sweep begins when nothing more was seen to go for so long, since a folder goes file by file. */
const QUIET_MS = 2_000

/** Between two sweeps when nothing is seen to go: for deletions that the watch missed. */
const SWEEP_EVERY_MS = 3_600_000

/** A sweep is followed by a rest of this many times its own length, however much goes meanwhile. */
const REST_FACTOR = 3

/** A sweep that failed is tried again after this time. */
const TRY_AGAIN_MS = 30_000

const TICK_MS = 200

/**
 * What a watch makes of deletions. One that is seen proves nothing: an unplugged disk shows the same, file by
 * file. So it only makes a sweep due: the whole source is listed, and what is gone is decided by the same rules, and
 * under the same guard, as after the scan of a run. A listing that fails decides nothing: it is reported and retried.
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

  /** Something was seen to go. */
  noticed(): void {
    this.#nextSweepAt = this.#deps.run.clock.monotonic() + QUIET_MS
  }

  /** Sweeps when the watch has begun, and then whenever it is due, until `signal` aborts. */
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
    const { stores, run, queue } = this.#deps
    const listing = { listed: new KeySet(), leftOut: new KeySet() }
    for await (const { kind, key } of stores.source.list(signal)) {
      if (kind === 'left_out') listing.leftOut.add(key)
      else listing.listed.add(key)
    }
    // A document that is still in the queue is its worker's, who will find it vanished.
    const leavePending = (await queue.backlog()) > 0
    const gone = await sweepGone(listing, { ...this.#policy, leavePending }, this.#deps, signal)
    run.events.emit('sweep:finished', gone)
  }
}
