import { seen } from '#src/document/outcome.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { GONE } from './decide-change.ts'
import type { IngestDeps } from './deps.ts'
import type { KeySet } from './key-set.ts'
import { parserOfRecord } from './record-parser.ts'

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
  readonly removed: number
  /** More documents were missing than the safety limit allows, and nothing was touched. */
  readonly unbelievable: boolean
}

/** So few may always be gone, however small the archive is; unless it is empty. */
const ALWAYS_BELIEVABLE = 10

export type SweepDeps = Pick<IngestDeps, 'source' | 'owner' | 'store' | 'ledger' | 'events' | 'now'>

/**
 * After a listing that came to its end: what the ledger has and the listing had not is gone, if the source itself says
 * so when it is asked for that very document. A name left out by a filter is therefore never taken for gone, nor is
 * what lies below a folder that could not be listed. Nothing is asked where the ledger has no more documents than were
 * listed.
 */
export async function sweepGone(
  listed: KeySet,
  policy: GonePolicy,
  deps: SweepDeps,
  signal: AbortSignal,
): Promise<GoneSummary> {
  const known = seen(await deps.ledger.counts())
  if (deps.source.isPartial === true || known <= listed.size) return { kept: 0, removed: 0, unbelievable: false }
  const believable = listed.size === 0 ? 0 : Math.max(ALWAYS_BELIEVABLE, known * policy.believableShare)
  const gone: SourceKey[] = []
  let believed = 0
  for await (const [key, { outcome, version }] of deps.ledger.entries(signal)) {
    if (listed.has(key) || (policy.leavePending && outcome === 'pending')) continue
    if (isBelowUnlisted(key, listed) || !(await isGone(key, deps, signal))) continue
    if (outcome === 'skipped') {
      // It was no document: nothing of it is in the store, and nothing is lost.
      await deps.ledger.forget([key])
      continue
    }
    gone.push(key)
    // What was believed once counts no more; but an empty source removes nothing.
    if (version === GONE && listed.size > 0) believed += 1
    if (!policy.force && gone.length - believed > believable) return { kept: 0, removed: 0, unbelievable: true }
  }
  const settled = { kept: 0, removed: 0 }
  for (const key of gone) {
    // Asked once more: it may have come back while the others were settled.
    if (await isGone(key, deps, signal)) settled[await settleGone(key, policy, deps)] += 1
  }
  return { ...settled, unbelievable: false }
}

/** A folder that could not be listed is itself listed, with a slash at its end: what is below it is unknown. */
function isBelowUnlisted(key: SourceKey, listed: KeySet): boolean {
  for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
    if (listed.has(key.slice(0, slash + 1))) return true
  }
  return false
}

async function isGone(key: SourceKey, { source }: SweepDeps, signal: AbortSignal): Promise<boolean> {
  const opened = await source.open(key, signal)
  if ('message' in opened) return opened.code === 'vanished'
  await opened[Symbol.asyncDispose]()
  return false
}

/** Outputs that are there are kept, or removed; a document of which nothing came is forgotten with its dead letter. */
async function settleGone(key: SourceKey, policy: GonePolicy, deps: SweepDeps): Promise<'kept' | 'removed'> {
  const record = await deps.store.readRecord(key)
  if (record !== null && !belongsTo(record, deps.owner)) {
    // Another source has put a document of the same name in its place.
    await deps.ledger.forget([key])
    return 'kept'
  }
  if (record === null || policy.remove) {
    await deps.store.remove(key)
    await deps.ledger.forget([key])
    deps.events.emit('document:seen', { key, change: 'gone' })
    return 'removed'
  }
  const [entry] = await deps.ledger.read([key])
  if (entry?.version === GONE) return 'kept'
  await mark(record, deps)
  const { recipeHash, outcome } = record
  const isLocal = (await parserOfRecord(record, deps.store)).class === 'embedded'
  await deps.ledger.write([[key, { version: GONE, recipeHash, outcome, isLocal }]])
  deps.events.emit('document:seen', { key, change: 'gone' })
  return 'kept'
}

/**
 * The same outputs are committed once more, with the mark; that takes a dead letter of a later version away too. Where
 * they are not whole only the ledger has the mark: `verify` has more to say about them.
 */
async function mark(record: DocumentRecord, { store, now }: SweepDeps): Promise<void> {
  const files = new Map<string, Uint8Array>()
  for (const { name } of record.files) {
    const bytes = await store.readOutput(record.key, name)
    if (bytes !== null) files.set(name, bytes)
  }
  if (files.size < record.files.length) return
  await store.commit({ ...record, goneAt: new Date(now()).toISOString() }, files)
}
