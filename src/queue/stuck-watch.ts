import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentQueue } from './document-queue.ts'

export interface StuckFacts {
  readonly waiting: number
  readonly paused: boolean
  /** Number of active jobs in this process. */
  readonly active: number
  /** Milliseconds since the last start or end of a job here. */
  readonly idleMs: number
}

/** True if jobs wait in an active queue, but this worker has been idle for `stuckAfterMs`. */
export function isStuck(facts: StuckFacts, stuckAfterMs: number): boolean {
  return facts.active === 0 && facts.idleMs >= stuckAfterMs && facts.waiting > 0 && !facts.paused
}

/**
 * A watchdog for a worker that stopped taking jobs without an error. BullMQ does that after a Sentinel failover (its
 * issue 3185); the remedy is a new worker. It polls only while this process is idle, so it costs nothing under load.
 */
export class StuckWatch implements Disposable {
  readonly #queue: DocumentQueue
  readonly #stopping = new AbortController()

  constructor(
    queue: DocumentQueue,
    worker: { readonly active: number; readonly lastAt: number },
    stuckAfterMs: number,
    onStuck: () => Promise<void>,
  ) {
    this.#queue = queue
    // It throws only after its connection was closed: then no worker is left to watch.
    this.#run(worker, stuckAfterMs, onStuck).catch(() => undefined)
  }

  [Symbol.dispose](): void {
    this.#stopping.abort()
  }

  async #run(
    worker: { readonly active: number; readonly lastAt: number },
    stuckAfterMs: number,
    onStuck: () => Promise<void>,
  ): Promise<void> {
    const { signal } = this.#stopping
    let suspectedBefore = false
    while (!signal.aborted) {
      await sleep(stuckAfterMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const stuck = isStuck(await this.#facts(worker), stuckAfterMs)
      // Requires two checks in a row: a job that arrived at this moment does not count as waiting.
      if (stuck && suspectedBefore) await onStuck()
      suspectedBefore = stuck && !suspectedBefore
    }
  }

  async #facts(worker: { readonly active: number; readonly lastAt: number }): Promise<StuckFacts> {
    const idle = { active: worker.active, idleMs: performance.now() - worker.lastAt }
    if (idle.active > 0) return { ...idle, waiting: 0, paused: false }
    return { ...idle, waiting: await this.#queue.waiting(), paused: await this.#queue.paused() }
  }
}
