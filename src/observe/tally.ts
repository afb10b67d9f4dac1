import type { FailureCode } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { type LeftOutReason, skipLabel } from '#src/document/skip.ts'
import type { Outcome } from '#src/document/outcome.ts'
import type { Change, Events, SluiceEvents } from '#src/events.ts'

/** Totals of this process since its start: the numbers of the progress view and the summary. */
export interface Tally {
  readonly changes: Readonly<Record<Change, number>>
  readonly settled: Readonly<Record<Exclude<Outcome, 'pending'>, number>>
  /** Number of documents that scans of this process enqueued, for any worker. */
  readonly enqueued: number
  /** Number of documents of the queue that this process ended. */
  readonly worked: number
  /** Number of documents that an earlier run left pending and a scan of this process refused. */
  readonly refusedPending: number
  readonly failures: ReadonlyMap<FailureCode, number>
  /** First partial documents, each with its reasons. */
  readonly partial: ReadonlyMap<SourceKey, readonly string[]>
  /** Number of pages of the committed documents. */
  readonly pages: number
  readonly credits: { readonly reported: number; readonly estimated: number }
  readonly requests: number
  /** Number of requests to the embedded engine, if the pipeline has a service, too. */
  readonly engineRequests: number
  readonly throttled: number
  /** Unusable or lost answers, and their possible cost by the price model. */
  readonly unusable: { readonly answers: number; readonly credits: number }
  /** Number of counted attempts that failed with a retry to follow. */
  readonly retries: number
  readonly receiptsReused: number
  /** Number of paid answers in the spool, which the store did not take. */
  readonly spooled: number
  readonly spoolPath: string
  /** Number of paid answers that could not be kept at all. */
  readonly answersLost: number
  readonly scanned: boolean
  /** Files that scans of this process skipped, by extension or reason (`skipLabel`). */
  readonly skipped: ReadonlyMap<string, number>
  /** Number of these with outputs of an earlier version, marked as gone. */
  readonly skippedWithOutputs: number
  /** Number of these in a format that no parser takes. */
  readonly unsupported: number
  /** Number of error pages of sites that an earlier release kept as documents. */
  readonly errorPages: number
  /** Folders that were not listed. */
  readonly leftOut: ReadonlyMap<SourceKey, LeftOutReason>
  /** Result of the search for documents that left the source. */
  readonly gone: SluiceEvents['sweep:finished'][0]
}

/** Maximum number of partial documents in the summary. */
const MAX_PARTIAL = 10
/** Maximum number of folders in the summary. */
const MAX_LEFT_OUT = 1_000

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

const NO_CHANGES: Readonly<Record<Change, number>> = {
  new: 0,
  changed: 0,
  recipe_changed: 0,
  parser_changed: 0,
  unchanged: 0,
  pending: 0,
  gone: 0,
  unusable: 0,
  skipped: 0,
}

/** Counts the events of one pipeline, or of several together. */
export function tallyOf(...sources: readonly Events[]): Tally {
  const changes = { ...NO_CHANGES }
  const settled = { done: 0, partial: 0, failed: 0, skipped: 0 }
  const failures = new Map<FailureCode, number>()
  const partial = new Map<SourceKey, readonly string[]>()
  const credits = { reported: 0, estimated: 0 }
  const skipped = new Map<string, number>()
  const leftOut = new Map<SourceKey, LeftOutReason>()
  const tally: Mutable<Tally> = {
    changes,
    settled,
    failures,
    partial,
    credits,
    enqueued: 0,
    worked: 0,
    refusedPending: 0,
    pages: 0,
    requests: 0,
    engineRequests: 0,
    throttled: 0,
    unusable: { answers: 0, credits: 0 },
    retries: 0,
    receiptsReused: 0,
    spooled: 0,
    spoolPath: '',
    answersLost: 0,
    scanned: false,
    skipped,
    skippedWithOutputs: 0,
    unsupported: 0,
    errorPages: 0,
    leftOut,
    gone: { kept: 0, removed: 0, forgotten: 0, unbelievable: null },
  }
  for (const events of sources) {
    events.on('request:charged', ({ cost }) => {
      if (cost.basis !== 'saved') credits[cost.basis] += cost.credits
    })
    events.on('document:settled', ({ key, outcome, again, failure, problems, pages, attempts, wasPending }) => {
      if (again) return
      settled[outcome] += 1
      tally.worked += attempts > 0 ? 1 : 0
      if (attempts === 0 && wasPending === true) tally.refusedPending += 1
      if (outcome === 'partial' && partial.size < MAX_PARTIAL) partial.set(key, problems)
      if (failure !== null) failures.set(failure.code, (failures.get(failure.code) ?? 0) + 1)
      tally.pages += pages?.parsed ?? 0
    })
    tallyListing(events, tally, { changes, skipped, leftOut })
    tallyRequests(events, tally)
    tallyUnsaved(events, tally)
    events.on('sweep:finished', (gone) => (tally.gone = gone))
  }
  return tally
}

interface Listing {
  readonly changes: Record<Change, number>
  readonly skipped: Map<string, number>
  readonly leftOut: Map<SourceKey, LeftOutReason>
}

/** Counts the results of scans. */
function tallyListing(events: Events, tally: Mutable<Tally>, { changes, skipped, leftOut }: Listing): void {
  events.on('document:seen', ({ change }) => (changes[change] += 1))
  events.on('document:skipped', ({ key, reason, hasOutputs }) => {
    tally.skippedWithOutputs += hasOutputs ? 1 : 0
    const label = skipLabel(key, reason)
    skipped.set(label, (skipped.get(label) ?? 0) + 1)
    tally.unsupported += reason === 'unsupported' ? 1 : 0
  })
  events.on('error-page:removed', () => (tally.errorPages += 1))
  events.on('folder:left-out', ({ key, reason }) => {
    if (leftOut.size < MAX_LEFT_OUT) leftOut.set(key, reason)
  })
  // The scan lists and counts everything again, and enqueues unfinished documents again.
  events.on('scan:again', () => {
    tally.enqueued = tally.worked
    tally.unsupported = 0
    tally.skippedWithOutputs = 0
    Object.assign(changes, NO_CHANGES)
    skipped.clear()
    leftOut.clear()
  })
  events.on('scan:finished', ({ enqueued }) => {
    tally.enqueued += enqueued
    tally.scanned = true
  })
}

function tallyRequests(events: Events, tally: Mutable<Tally>): void {
  events.on('document:postponed', ({ counted }) => (tally.retries += counted ? 1 : 0))
  events.on('request:sent', ({ to }) => (tally[to === 'engine' ? 'engineRequests' : 'requests'] += 1))
  events.on('request:throttled', () => (tally.throttled += 1))
  events.on('request:lost', ({ to, credits }) => {
    const { unusable } = tally
    if (to === 'parser') tally.unusable = { answers: unusable.answers + 1, credits: unusable.credits + credits }
  })
  events.on('receipt:reused', () => (tally.receiptsReused += 1))
}

function tallyUnsaved(events: Events, tally: Mutable<Tally>): void {
  events.on('answer:spooled', ({ path }) => {
    tally.spooled += 1
    tally.spoolPath = path
  })
  events.on('answer:lost', () => (tally.answersLost += 1))
}
