import type { FailureCode } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { type LeftOutReason, skipLabel } from '#src/document/skip.ts'
import type { Outcome } from '#src/document/outcome.ts'
import type { Change, Events, SluiceEvents } from '#src/events.ts'

/** What this process did since it started: the numbers of the progress view and the summary. */
export interface Tally {
  readonly changes: Readonly<Record<Change, number>>
  readonly settled: Readonly<Record<Exclude<Outcome, 'pending'>, number>>
  /** Documents that scans of this process enqueued, for whichever worker comes first. */
  readonly enqueued: number
  /** Of those that were settled here, the ones that came through the queue. */
  readonly worked: number
  /** Of those that were settled here, the ones that an earlier run left pending and a scan refused. */
  readonly refusedPending: number
  readonly failures: ReadonlyMap<FailureCode, number>
  /** Pages of the documents that came out. */
  readonly pages: number
  readonly credits: { readonly reported: number; readonly estimated: number }
  readonly requests: number
  /** Requests to the embedded engine, where the pipeline has a service, too. */
  readonly engineRequests: number
  readonly throttled: number
  /** Answers that could not be used or never came, and what they may have cost by the price model. */
  readonly unusable: { readonly answers: number; readonly credits: number }
  /** Counted attempts that failed and come again. */
  readonly retries: number
  readonly receiptsReused: number
  /** Paid answers that the store did not take, in the spool. */
  readonly spooled: number
  readonly spoolPath: string
  /** Paid answers that could be kept nowhere. */
  readonly answersLost: number
  readonly scanned: boolean
  /** Files that scans of this process skipped, by extension or reason (`skipLabel`). */
  readonly skipped: ReadonlyMap<string, number>
  /** Of these, the ones whose outputs of an earlier version are kept, marked as gone. */
  readonly skippedWithOutputs: number
  /** Of these, the ones in a format that no parser takes. */
  readonly unsupported: number
  /** Error pages of sites that an earlier release kept as documents. */
  readonly errorPages: number
  /** Folders that were not listed. */
  readonly leftOut: ReadonlyMap<SourceKey, LeftOutReason>
  /** Result of the search for documents that are no longer in the source. */
  readonly gone: SluiceEvents['sweep:finished'][0]
}

/** Most folders that the summary names. */
const MOST_LEFT_OUT = 1_000

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

/** Of one pipeline, or of several together. */
export function tallyOf(...sources: readonly Events[]): Tally {
  const changes = { ...NO_CHANGES }
  const settled = { done: 0, partial: 0, failed: 0, skipped: 0 }
  const failures = new Map<FailureCode, number>()
  const credits = { reported: 0, estimated: 0 }
  const skipped = new Map<string, number>()
  const leftOut = new Map<SourceKey, LeftOutReason>()
  const tally: Mutable<Tally> = {
    changes,
    settled,
    failures,
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
    gone: { kept: 0, removed: 0, forgotten: 0, unbelievable: false },
  }
  for (const events of sources) {
    events.on('request:charged', ({ cost }) => {
      if (cost.basis !== 'saved') credits[cost.basis] += cost.credits
    })
    events.on('document:settled', ({ outcome, again, failure, pages, attempts, wasPending }) => {
      if (again) return
      settled[outcome] += 1
      tally.worked += attempts > 0 ? 1 : 0
      if (attempts === 0 && wasPending === true) tally.refusedPending += 1
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

/** What scans found in the source. */
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
    if (leftOut.size < MOST_LEFT_OUT) leftOut.set(key, reason)
  })
  // Everything is listed once more, and counted then; what is not done yet is enqueued once more.
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
