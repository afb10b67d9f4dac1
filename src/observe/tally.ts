import type { FailureCode } from '#src/document/failure.ts'
import type { Outcome } from '#src/document/outcome.ts'
import type { Change, Events, SluiceEvents } from '#src/events.ts'

/** What this process did since it started: the numbers of the progress view and the summary. */
export interface Tally {
  readonly changes: Readonly<Record<Change, number>>
  readonly settled: Readonly<Record<Exclude<Outcome, 'pending'>, number>>
  /** Documents that scans of this process enqueued, for whichever worker comes first. */
  readonly enqueued: number
  /** Of those that were settled here, the ones that came by the queue. */
  readonly worked: number
  readonly failures: ReadonlyMap<FailureCode, number>
  /** Pages of the documents that came out. */
  readonly pages: number
  readonly credits: { readonly reported: number; readonly estimated: number }
  readonly requests: number
  readonly throttled: number
  /** Counted attempts that failed and come again. */
  readonly retries: number
  readonly receiptsReused: number
  readonly scanned: boolean
  /** What a look for documents that are no longer in the source came to. */
  readonly gone: SluiceEvents['sweep:finished'][0]
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Of one pipeline, or of several together. */
export function tallyOf(...sources: readonly Events[]): Tally {
  const changes = { new: 0, changed: 0, recipe_changed: 0, unchanged: 0, pending: 0, gone: 0, unusable: 0 }
  const settled = { done: 0, partial: 0, failed: 0, skipped: 0 }
  const failures = new Map<FailureCode, number>()
  const credits = { reported: 0, estimated: 0 }
  const tally: Mutable<Tally> = {
    changes,
    settled,
    failures,
    credits,
    enqueued: 0,
    worked: 0,
    pages: 0,
    requests: 0,
    throttled: 0,
    retries: 0,
    receiptsReused: 0,
    scanned: false,
    gone: { kept: 0, removed: 0, unbelievable: false },
  }
  for (const events of sources) {
    events.on('document:seen', ({ change }) => (changes[change] += 1))
    events.on('document:settled', ({ outcome, failure, cost, pages, attempts }) => {
      settled[outcome] += 1
      tally.worked += attempts > 0 ? 1 : 0
      if (failure !== null) failures.set(failure.code, (failures.get(failure.code) ?? 0) + 1)
      if (cost !== null && cost.basis !== 'saved') credits[cost.basis] += cost.credits
      tally.pages += pages?.parsed ?? 0
    })
    events.on('document:postponed', ({ counted }) => (tally.retries += counted ? 1 : 0))
    events.on('request:sent', () => (tally.requests += 1))
    events.on('request:throttled', () => (tally.throttled += 1))
    events.on('receipt:reused', () => (tally.receiptsReused += 1))
    events.on('sweep:finished', (gone) => (tally.gone = gone))
    events.on('scan:finished', ({ enqueued }) => {
      tally.enqueued += enqueued
      tally.scanned = true
    })
  }
  return tally
}
