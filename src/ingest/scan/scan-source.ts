import { assertNever } from '#src/kit/assert-never.ts'
import type { Failure } from '#src/document/failure.ts'
import { invariant } from '#src/kit/invariant.ts'
import { NO_RECIPE, version } from '#src/document/ids.ts'
import type { Change } from '#src/events.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { skipFile } from '../document/skip-file.ts'
import { batchesOf, prefetchOne } from '#src/kit/batched-stream.ts'
import { buryUnclaimed } from '../document/bury.ts'
import { decideItem, type DocumentDecision, isUnchanged } from './decide-change.ts'
import type { ScanDeps } from '../document/deps.ts'
import { isDone } from '../document/disagreement.ts'
import { recommit } from '../document/rederive.ts'
import { KeySet } from '#src/kit/key-set.ts'
import type { Listing } from './unlisted.ts'

/** Entries that are compared with the ledger, written and enqueued in one go. */
const BATCH = 500

/** The first batch is small, so that work begins at once. */
const FIRST_BATCH = 32

/** Items of a batch that are compared side by side: what has to be asked of the store or read takes its time. */
const AT_ONCE = 8

/** How often a scan that waits for the backlog to shrink checks it again. */
const BACKLOG_POLL_MS = 50

export interface ScanSummary extends Listing {
  /** Entries listed, of every kind. */
  readonly seen: number
  readonly enqueued: number
  readonly durationMs: number
}

/**
 * One pass over a source: every item is compared with the ledger and, when it is new, changed, or still to be done,
 * written down as pending and enqueued. A document that cannot be parsed is buried here with its reason. Memory stays
 * flat: one batch at a time, the next one being listed meanwhile, and no more than `backlogLimit` jobs in Redis.
 *
 * Pending is written before the job is added: a crash between the two leaves a pending document without a job, which
 * the next scan adds again; the other order could leave a job that no count includes.
 */
export async function scanSource(deps: ScanDeps, signal: AbortSignal): Promise<ScanSummary> {
  const startedAt = deps.run.clock.monotonic()
  const { routes } = deps.parsers
  let seen = 0
  let enqueued = 0
  // What a batch without a job left of the backlog is no more than it was: an unchanged archive asks once.
  let grown = true
  const listed = new KeySet()
  const leftOut = new KeySet()
  await prefetchOne(batchesOf(deps.stores.source.list(signal), BATCH, FIRST_BATCH), async (batch) => {
    if (grown) await backlogBelowLimit(deps, signal)
    const jobs = await scanBatch(batch, deps, signal)
    grown = jobs > 0
    enqueued += jobs
    for (const { kind, key } of batch) {
      if (kind === 'left_out') {
        leftOut.add(key)
        continue
      }
      seen += 1
      // Every key once: a glob of never-send that no key matches is reported below.
      routes?.of(key)
      deps.parsers.rules?.see(key)
      listed.add(key)
    }
  })
  const durationMs = deps.run.clock.monotonic() - startedAt
  deps.run.events.emit('scan:finished', { seen, enqueued, durationMs })
  const globs = routes?.unmatched() ?? []
  if (seen > 0 && globs.length > 0) deps.run.events.emit('never-send:unmatched', { globs })
  const rules = deps.parsers.rules?.unmatched() ?? []
  if (seen > 0 && rules.length > 0) deps.run.events.emit('rules:unmatched', { globs: rules })
  return { seen, enqueued, durationMs, listed, leftOut }
}

/** Waits while Redis holds as many jobs as it may (Law 6). */
export async function backlogBelowLimit(deps: ScanDeps, signal: AbortSignal): Promise<void> {
  while ((await deps.queue.backlog()) >= deps.backlogLimit) await deps.run.clock.sleep(BACKLOG_POLL_MS, signal)
}

/** One batch of a listing or of a watch: compared, written down, enqueued. Answers how many jobs it made. */
export async function scanBatch(batch: readonly SourceItem[], deps: ScanDeps, signal: AbortSignal): Promise<number> {
  const entries = await deps.stores.ledger.read(batch.map((item) => item.key))
  const changed: (readonly [SourceItem, LedgerEntry | null])[] = []
  for (const [at, item] of batch.entries()) {
    const known = entries[at] ?? null
    if (item.kind !== 'left_out' && isUnchanged(item, known, deps)) {
      deps.run.events.emit('document:seen', { key: item.key, change: 'unchanged' })
    } else changed.push([item, known])
  }
  if (changed.some(([{ kind }]) => kind === 'document' || kind === 'unusable')) await deps.claimSource?.()
  const steps: ScanStep[] = []
  for (let from = 0; from < changed.length; from += AT_ONCE) {
    const some = changed.slice(from, from + AT_ONCE)
    const found = await Promise.all(some.map(([item, known]) => scanItem(item, known, deps, signal)))
    steps.push(...found.filter((step) => step !== null))
  }
  return steps.length === 0 ? 0 : writeAndEnqueue(steps, deps, signal)
}

/** What an item of the source needs: to be written down, and perhaps a job. */
interface ScanStep {
  readonly listed: SourceItem
  readonly known: LedgerEntry | null
  readonly entry: LedgerEntry
  readonly job: DocumentJob | null
  /** Reported once it is written; null where it was reported before. */
  readonly change: Change | null
}

/**
 * What a worker or another scan wrote since the ledger was read is not overwritten: a document that came to its end in
 * this moment would become pending again, be done once more and be counted twice. It is compared once more.
 */
async function writeAndEnqueue(steps: readonly ScanStep[], deps: ScanDeps, signal: AbortSignal): Promise<number> {
  const written = await deps.stores.ledger.advance(
    steps.map(({ listed: { key }, known, entry }) => ({ key, known, entry })),
  )
  invariant(written.length === steps.length, 'the ledger answers for every document of a batch', { of: steps.length })
  const current = steps.filter((_, at) => written[at])
  for (const { listed, change } of current) {
    if (change !== null) deps.run.events.emit('document:seen', { key: listed.key, change })
  }
  const jobs = current.flatMap(({ job }) => job ?? [])
  if (jobs.length > 0) await deps.queue.add(jobs)
  for (const { job, known, change } of current) {
    const wasPending = change === 'pending' && known?.outcome === 'pending'
    if (job !== null && !wasPending) deps.run.events.emit('document:enqueued', { key: job.key, queuedAt: job.queuedAt })
  }
  const changed = steps.filter((_, at) => !written[at]).map(({ listed }) => listed)
  return jobs.length + (changed.length === 0 ? 0 : await scanBatch(changed, deps, signal))
}

const pendingInLedger = (job: DocumentJob): LedgerEntry => ({
  version: job.version,
  recipeHash: job.recipeHash,
  outcome: 'pending',
})

/** What an item needs; null when that is nothing: it is done already, or it was buried here. */
async function scanItem(
  item: SourceItem,
  known: LedgerEntry | null,
  deps: ScanDeps,
  signal: AbortSignal,
): Promise<ScanStep | null> {
  if (item.kind === 'left_out') {
    deps.run.events.emit('folder:left-out', item)
    return null
  }
  const decided = await decideItem(item, known, deps, signal)
  switch (decided.kind) {
    case 'skip': {
      const skipped = await skipFile(decided.file, known, deps, deps.removeGone)
      return skipped === null ? null : { listed: item, known, entry: skipped, job: null, change: null }
    }
    case 'unusable':
      await buryOnce(item, decided.failure, known, deps, signal)
      deps.run.events.emit('document:seen', { key: item.key, change: 'unusable' })
      return null
    case 'document':
      return documentStep(decided, known, deps)
    default:
      return assertNever(decided)
  }
}

async function documentStep(
  { item, handling, change, version: present, isTriedAgain, isErrorPage }: DocumentDecision,
  known: LedgerEntry | null,
  deps: ScanDeps,
): Promise<ScanStep | null> {
  const { key, bytes } = item
  if (isErrorPage) {
    await deps.stores.documents.remove(key)
    deps.run.events.emit('error-page:removed', { key })
  }
  if (change !== 'unchanged' || isTriedAgain) {
    const queued = { key, version: item.version, recipeHash: handling.recipe.hash }
    const job = { schema: 1, ...queued, bytes, queuedAt: deps.run.clock.shared() } as const
    return { listed: item, known, entry: pendingInLedger(job), job, change: isTriedAgain ? 'pending' : change }
  }
  // Only touched: another version with the same content as before is written down in ledger and record, and not enqueued.
  if (known !== null && known.version !== present) {
    const record = isDone(known) ? await deps.stores.documents.read(key) : null
    if (record !== null) await recommit({ ...record, version: present }, null, deps.stores.documents)
    return { listed: item, known, entry: { ...known, version: present }, job: null, change }
  }
  deps.run.events.emit('document:seen', { key, change })
  return null
}

/** A refusal that stands in the ledger already is not written again: an unchanged archive costs no writes. */
async function buryOnce(
  item: Exclude<SourceItem, { kind: 'left_out' }>,
  failure: Failure,
  known: LedgerEntry | null,
  deps: ScanDeps,
  signal: AbortSignal,
): Promise<void> {
  const { key } = item
  const refused = item.kind === 'document' ? item.version : version(`unusable:${failure.code}`)
  if (known?.outcome === 'failed' && known.version === refused) return
  const burial = {
    key,
    version: refused,
    recipeHash: NO_RECIPE,
    contentHash: null,
    failure,
    attempts: 0,
    durationMs: 0,
  }
  await buryUnclaimed(burial, deps, signal)
}
