import { NO_RECIPE, type SourceKey } from '#src/document/ids.ts'
import { GONE } from '#src/document/ledger-entry.ts'
import { seen } from '#src/document/outcome.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import type { DocumentDeps } from '../document/deps.ts'
import { recommit } from '../document/rederive.ts'
import { leaveOutPending } from '../document/skip-file.ts'
import { isGone, type Listing, unlistedOf } from './unlisted.ts'

/** What becomes of documents that are no longer in their source. */
export interface GonePolicy {
  /** Removes their outputs; else they are kept, and marked in record and ledger. Receipts stay in both cases. */
  readonly remove: boolean
  /** Safety limit, a share of the archive (0 to 1): when more is missing, the source may be an unmounted disk. */
  readonly believableShare: number
  /** Bypasses the safety limit. */
  readonly force: boolean
  /** Leaves alone what the ledger has as pending: jobs are in flight. */
  readonly leavePending: boolean
}

export interface GoneSummary {
  /** Gone documents whose outputs are kept, those of earlier runs included. */
  readonly kept: number
  /** Gone documents whose outputs were removed. */
  readonly removed: number
  /** Gone documents that never came out: nothing is left of them but a dead letter, which is removed. */
  readonly forgotten: number
  /** More documents were missing than the safety limit allows, and nothing was touched. */
  readonly unbelievable: boolean
}

/** So few may always be gone, however small the archive is; unless it is empty. */
const ALWAYS_BELIEVABLE = 10

/** Entries that are written or forgotten in one go. */
const BATCH = 500

/**
 * After a listing that came to its end: what the ledger has and the listing had not is gone, if the source itself says
 * so when it is asked for that very document. A name left out by a filter is therefore never taken for gone, nor is
 * what lies below a folder that could not be listed. Nothing is asked where the ledger has no more documents than were
 * listed.
 */
export async function sweepGone(
  listing: Listing,
  policy: GonePolicy,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<GoneSummary> {
  const listed = listing.listed.size
  const counts = await deps.stores.ledger.counts()
  const nothing = { kept: counts.gone, removed: 0, forgotten: 0, unbelievable: false }
  if (seen(counts) <= listed && !(policy.remove && counts.gone > 0)) return nothing
  const believable =
    listed === 0 ? 0 : Math.max(ALWAYS_BELIEVABLE, (seen(counts) + counts.gone) * policy.believableShare)
  const gone: SourceKey[] = []
  const noDocuments: SourceKey[] = []
  let believed = 0
  let marked = 0
  for await (const { key, entry, kind } of unlistedOf(listing, deps.stores, signal)) {
    if (kind === 'there' || (policy.leavePending && entry.outcome === 'pending')) continue
    if (entry.outcome === 'skipped' && entry.recipeHash === NO_RECIPE) {
      // It was no document: nothing of it is in the store, and nothing is lost.
      noDocuments.push(key)
      if (noDocuments.length >= BATCH) await deps.stores.ledger.forget(noDocuments.splice(0))
      continue
    }
    if (kind === 'left_out') {
      // Jobs are through: this one has none, and none will be made as long as its folder is left out.
      if (entry.outcome === 'pending') await leaveOutPending({ key, reason: 'excluded', version: null }, entry, deps)
      continue
    }
    // What was believed once counts no more; but an empty source removes nothing.
    if (kind === 'marked' && listed > 0) believed += 1
    if (kind === 'marked' && !policy.remove) {
      marked += 1
      continue
    }
    gone.push(key)
    if (!policy.force && gone.length - believed > believable) return { ...nothing, kept: 0, unbelievable: true }
  }
  await deps.stores.ledger.forget(noDocuments)
  const settled = { kept: marked, removed: 0, forgotten: 0 }
  for (const key of gone) {
    // Asked once more: it may have come back while the others were settled.
    if (await isGone(key, deps.stores.source, signal)) settled[await settleGone(key, policy, deps)] += 1
  }
  return { ...settled, unbelievable: false }
}

/** Outputs that are there are kept, or removed; a document of which nothing came is forgotten with its dead letter. */
async function settleGone(
  key: SourceKey,
  policy: GonePolicy,
  deps: DocumentDeps,
): Promise<'kept' | 'removed' | 'forgotten'> {
  const record = await deps.stores.documents.read(key)
  if (record !== null && !belongsTo(record, deps.stores.owner)) {
    // Another source has put a document of the same name there.
    await deps.stores.ledger.forget([key])
    return 'kept'
  }
  if (record === null || policy.remove) {
    await deps.stores.documents.remove(key)
    await deps.stores.ledger.forget([key])
    deps.run.events.emit('document:seen', { key, change: 'gone' })
    return record === null ? 'forgotten' : 'removed'
  }
  await recommit(record, new Date(deps.run.clock.wall()), deps.stores.documents)
  const { recipeHash, outcome } = record
  await deps.stores.ledger.write([[key, { version: GONE, recipeHash, outcome }]])
  deps.run.events.emit('document:seen', { key, change: 'gone' })
  return 'kept'
}
