import { NO_RECIPE, type SourceKey } from '#src/document/ids.ts'
import { GONE } from '#src/document/ledger-entry.ts'
import { seen } from '#src/document/outcome.ts'
import type { Unbelievable } from '#src/events.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import type { DocumentDeps } from '../document/deps.ts'
import { recommit } from '../document/rederive.ts'
import { skipPending } from '../document/skip-file.ts'
import { isGone, type Listing, unlistedOf } from './unlisted.ts'

/** Policy for documents that are no longer in their source. */
export interface GonePolicy {
  /** True to remove their outputs. Otherwise they stay, marked in record and ledger. Receipts stay in both cases. */
  readonly remove: boolean
  /** Safety limit, a share of the archive (0 to 1): if more is missing, the source may be an unmounted disk. */
  readonly maxGoneShare: number
  /** Bypasses the safety limit. */
  readonly force: boolean
  /** True to skip pending entries of the ledger: jobs are in flight. */
  readonly leavePending: boolean
}

export interface GoneSummary {
  /** Number of gone documents with kept outputs, those of earlier runs included. */
  readonly kept: number
  /** Number of gone documents with removed outputs. */
  readonly removed: number
  /** Number of gone documents that never succeeded: they have only a dead letter, which is removed. */
  readonly forgotten: number
  /** More was missing than the safety limit allows; nothing was changed. Null within the limit. */
  readonly unbelievable: Unbelievable | null
}

/** This number may always be gone, in an archive of any size, unless the source lists no document. */
const ALWAYS_ALLOWED = 10

/** Batch size: entries written or removed together. */
const BATCH = 500

/**
 * Runs after a complete listing. A document of the ledger that the listing lacked is gone if the source itself confirms
 * it for that very document. A filtered name is therefore never treated as gone, nor is anything below an unlistable
 * folder. If the ledger has no more documents than the listing, the sweep makes no requests.
 */
export async function sweepGone(
  listing: Listing,
  policy: GonePolicy,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<GoneSummary> {
  const { documents } = listing
  const files = listing.listed.size
  const counts = await deps.stores.ledger.counts()
  const nothing = { kept: counts.gone, removed: 0, forgotten: 0, unbelievable: null }
  if (seen(counts) <= files && !(policy.remove && counts.gone > 0)) return nothing
  const known = seen(counts) + counts.gone
  const believable = documents === 0 ? 0 : Math.max(ALWAYS_ALLOWED, known * policy.maxGoneShare)
  const gone: SourceKey[] = []
  const noDocuments: SourceKey[] = []
  let believed = 0
  let marked = 0
  for await (const { key, entry, kind } of unlistedOf(listing, deps.stores, signal)) {
    if (kind === 'there' || (policy.leavePending && entry.outcome === 'pending')) continue
    if (entry.outcome === 'skipped' && entry.recipeHash === NO_RECIPE) {
      // It was not a document: the store has nothing of it, and nothing is lost.
      noDocuments.push(key)
      if (noDocuments.length >= BATCH) await deps.stores.ledger.forget(noDocuments.splice(0))
      continue
    }
    if (kind === 'left_out') {
      // All jobs are finished. This document has none, and gets none while its folder is excluded.
      if (entry.outcome === 'pending') await skipPending({ key, reason: 'excluded', version: null }, entry, deps)
      continue
    }
    // A document accepted as gone before does not count again; but a source without documents removes nothing.
    if (kind === 'marked' && documents > 0) believed += 1
    if (kind === 'marked' && !policy.remove) {
      marked += 1
      continue
    }
    gone.push(key)
    if (!policy.force && gone.length - believed > believable) {
      const unbelievable: Unbelievable =
        documents === 0
          ? { kind: 'no_document', files, documents: known - counts.skipped }
          : { kind: 'too_many', limit: Math.floor(believable), known }
      return { ...nothing, kept: 0, unbelievable }
    }
  }
  await deps.stores.ledger.forget(noDocuments)
  const settled = { kept: marked, removed: 0, forgotten: 0 }
  for (const key of gone) {
    // Verified once more: it may have returned while the others were processed.
    if (await isGone(key, deps.stores.source, signal)) settled[await settleGone(key, policy, deps)] += 1
  }
  return { ...settled, unbelievable: null }
}

/** Keeps or removes existing outputs. A document without outputs is forgotten with its dead letter. */
async function settleGone(
  key: SourceKey,
  policy: GonePolicy,
  deps: DocumentDeps,
): Promise<'kept' | 'removed' | 'forgotten'> {
  const record = await deps.stores.documents.read(key)
  if (record !== null && !belongsTo(record, deps.stores.owner)) {
    // Another source has written a document of the same name there.
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
