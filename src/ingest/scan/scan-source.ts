import { assertNever } from '#src/kit/assert-never.ts'
import type { Failure } from '#src/document/failure.ts'
import { invariant } from '#src/kit/invariant.ts'
import { contentVersion, NO_RECIPE, version } from '#src/document/ids.ts'
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
import { isListedDocument, knownVersions, type Listing } from './unlisted.ts'

/** Batch size: entries compared with the ledger, written and enqueued together. */
const BATCH = 500

/** The first batch is small, so that work starts at once. */
const FIRST_BATCH = 32

/** Maximum wait in milliseconds of listed items for a slow one: a page may take minutes. */
const LINGER_MS = 1_000

/** Number of items of a batch compared concurrently: requests to the store and reads take time. */
const AT_ONCE = 8

/** Poll interval in milliseconds of a scan that waits for the backlog to shrink. */
const BACKLOG_POLL_MS = 50

export interface ScanSummary extends Listing {
  /** Number of listed entries, of every kind. */
  readonly seen: number
  readonly enqueued: number
  readonly durationMs: number
}

/**
 * Makes one pass over a source: compares every item with the ledger. A new, changed or unfinished one becomes pending
 * and is enqueued. A document that cannot be parsed is buried here with its reason. Memory stays constant: one batch at
 * a time, with the next one prefetched, and no more than `backlogLimit` jobs in Redis.
 *
 * The scan writes `pending` before it adds the job. A crash between the two leaves a pending document without a job,
 * which the next scan adds again. The other order could leave a job that no count includes.
 */
export async function scanSource(deps: ScanDeps, signal: AbortSignal): Promise<ScanSummary> {
  const startedAt = deps.run.clock.monotonic()
  const { routes } = deps.parsers
  let seen = 0
  let enqueued = 0
  let documents = 0
  // After a batch without a job the backlog has not grown: an unchanged archive checks it once.
  let grown = true
  const listed = new KeySet()
  const leftOut = new KeySet()
  await prefetchOne(
    batchesOf(deps.stores.source.list(signal, knownVersions(deps.stores.ledger)), BATCH, FIRST_BATCH, LINGER_MS),
    async (batch) => {
      if (grown) await backlogBelowLimit(deps, signal)
      const jobs = await scanBatch(batch, deps, signal)
      grown = jobs > 0
      enqueued += jobs
      for (const item of batch) {
        const { kind, key } = item
        if (kind === 'left_out') {
          leftOut.add(key)
          continue
        }
        seen += 1
        // Visits every key once: a never-send glob without a matching key is reported below.
        routes?.of(key)
        deps.parsers.rules?.recordKey(key)
        listed.add(key)
        if (isListedDocument(item, deps.policy)) documents += 1
      }
    },
  )
  const durationMs = deps.run.clock.monotonic() - startedAt
  deps.run.events.emit('scan:finished', { seen, enqueued, durationMs })
  const globs = routes?.unmatched() ?? []
  if (seen > 0 && globs.length > 0) deps.run.events.emit('never-send:unmatched', { globs })
  const rules = deps.parsers.rules?.unmatched() ?? []
  if (seen > 0 && rules.length > 0) deps.run.events.emit('rules:unmatched', { globs: rules })
  return { seen, enqueued, durationMs, listed, documents, leftOut }
}

/** Waits while Redis holds its maximum number of jobs (Law 6). */
export async function backlogBelowLimit(deps: ScanDeps, signal: AbortSignal): Promise<void> {
  while ((await deps.queue.backlog()) >= deps.backlogLimit) await deps.run.clock.sleep(BACKLOG_POLL_MS, signal)
}

/** Compares, writes and enqueues one batch of a listing or of a watch. Returns the number of its jobs. */
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

/** Work for an item of the source: a ledger write, and perhaps a job. */
interface ScanStep {
  readonly listed: SourceItem
  readonly known: LedgerEntry | null
  readonly entry: LedgerEntry
  readonly job: DocumentJob | null
  /** Reported after the write; null if it was reported before. */
  readonly change: Change | null
}

/**
 * Never overwrites the entries that a worker or another scan wrote since the read of the ledger. A document that ended
 * at this moment would become pending again, run once more and count twice. It is compared once more.
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

/** Work for an item; null if it needs none: it is already done, or it was buried here. */
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
  if (known !== null && !isDone(known) && contentVersion(known.version) === contentVersion(present)) {
    deps.run.events.emit('document:seen', { key, change })
    return null
  }
  // New mtime or validators only: another version with the same content is written to ledger and record, and not enqueued.
  if (known !== null && known.version !== present) {
    const record = isDone(known) ? await deps.stores.documents.read(key) : null
    if (record !== null) await recommit({ ...record, version: present }, null, deps.stores.documents)
    return { listed: item, known, entry: { ...known, version: present }, job: null, change }
  }
  deps.run.events.emit('document:seen', { key, change })
  return null
}

/** Skips a refusal that the ledger already has: an unchanged archive costs no writes. */
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
