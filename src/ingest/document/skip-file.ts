import { NO_RECIPE, type SourceKey, type Version } from '#src/document/ids.ts'
import type { DocumentJob, JobVerdict } from '#src/ports/queue.ts'
import { type LedgerEntry, GONE } from '#src/document/ledger-entry.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { DocumentDeps, Recipes, Stores } from './deps.ts'
import { FINISH } from './purchase.ts'
import { recommit } from './rederive.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { type SkipReason, skipVersion, skipLabel, skipReasonOf } from '#src/document/skip.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { redacts } from '#src/client/passthrough.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { parserOfRecord } from './find-receipt.ts'

/** A file of a scan that is not a document. */
export interface SkippedFile {
  readonly key: SourceKey
  readonly reason: SkipReason
  /** Version of a text that the present settings skip, so that other settings may take it; null for a rule's file. */
  readonly version: Version | null
}

/**
 * - `stays`: its outputs are older than the rule and still represent it, so it stays done.
 * - `skipped`: it counts as skipped. `outdated` is the record of outputs that no longer represent it.
 */
export type SkipDecision =
  | { readonly kind: 'stays'; readonly entry: LedgerEntry; readonly record: DocumentRecord | null }
  | { readonly kind: 'skipped'; readonly entry: LedgerEntry; readonly outdated: DocumentRecord | null }

/** No document of that name exists any more, under any rules; its former content is outdated. */
const REPLACEMENT_REASONS: readonly SkipReason[] = [
  'symlink',
  'special',
  'hard_link',
  'duplicate',
  'outside',
  'canonical',
  'equal_content',
]

export const skippedFileOf = ({ key, ...entry }: Extract<SourceItem, { kind: 'document' | 'skipped' }>): SkippedFile =>
  entry.kind === 'skipped'
    ? { key, reason: entry.reason, version: null }
    : { key, reason: 'unsupported', version: entry.version }

/**
 * Decides a skipped file. Outputs stay if a rule skips the file, because the rule only concerns this run. They do not
 * stay if another kind of file replaced it, if a text without passthrough changed, or if texts need redaction. Reads
 * the store only if the outcome changes.
 */
export async function decideSkip(
  file: SkippedFile,
  known: LedgerEntry | null,
  deps: { readonly stores: Pick<Stores, 'documents' | 'receipts' | 'owner'>; readonly policy: Recipes },
): Promise<SkipDecision> {
  const isDone = (known?.outcome === 'done' || known?.outcome === 'partial') && known.version !== GONE
  if (known !== null && isDone && outputsStillApply(file, known.version, deps.policy))
    return { kind: 'stays', entry: known, record: null }
  // The entry holds the recipe of outdated outputs that are kept.
  const recipeHash = known?.outcome === 'skipped' ? known.recipeHash : NO_RECIPE
  const skipped = { version: skipVersion(file.reason), recipeHash, outcome: 'skipped' } as const
  if (known === null || known.outcome === 'skipped') return { kind: 'skipped', entry: skipped, outdated: null }
  const record = await deps.stores.documents.read(file.key)
  if (record === null || !belongsTo(record, deps.stores.owner))
    return { kind: 'skipped', entry: skipped, outdated: null }
  if (record.goneAt === undefined && !isDone && outputsStillApply(file, record.version, deps.policy)) {
    const isLocal = (await parserOfRecord(record, deps.stores.receipts)).class === 'embedded'
    const { version, recipeHash: recipe, outcome } = record
    return { kind: 'stays', entry: { version, recipeHash: recipe, outcome, isLocal }, record }
  }
  return { kind: 'skipped', entry: { ...skipped, recipeHash: record.recipeHash }, outdated: record }
}

/** True if the outputs of version `done` represent a file that is now skipped. */
function outputsStillApply({ key, reason, version }: SkippedFile, done: Version, { recipeFor }: Recipes): boolean {
  if (REPLACEMENT_REASONS.includes(reason)) return false
  return version === null || (version === done && !redacts(recipeFor, key))
}

/**
 * Handles a file that is not a document. The ledger counts it as skipped, so that `seen` is the size of the source,
 * unless its outputs still represent it. Returns the entry to write, or null if it is already written.
 */
export async function skipFile(
  file: SkippedFile,
  known: LedgerEntry | null,
  deps: DocumentDeps,
  removeGone: boolean,
): Promise<LedgerEntry | null> {
  const { key, reason } = file
  const decision = await decideSkip(file, known, deps)
  if (decision.kind === 'stays') {
    deps.run.events.emit('document:seen', { key, change: 'unchanged' })
    if (decision.entry === known) return null
    await updateStore(file, decision, known, deps)
    return decision.entry
  }
  const { entry } = decision
  const first = known?.outcome !== 'skipped' || known.version !== entry.version
  const hasOutputs = entry.recipeHash !== NO_RECIPE && !removeGone
  deps.run.events.emit('document:seen', { key, change: 'skipped' })
  deps.run.events.emit('document:skipped', { key, reason, first, hasOutputs })
  if (known?.outcome !== 'skipped') await updateStore(file, decision, known, deps)
  if (removeGone && entry.recipeHash !== NO_RECIPE) {
    await deps.stores.documents.remove(key)
    return { ...entry, recipeHash: NO_RECIPE }
  }
  return first ? entry : null
}

/** Removes dead letters of a file that is not a document, and marks outputs that no longer represent it as gone. */
async function updateStore(
  { key }: SkippedFile,
  decision: SkipDecision,
  known: LedgerEntry | null,
  deps: DocumentDeps,
): Promise<void> {
  if (decision.kind === 'stays') {
    if (decision.record !== null) await recommit(decision.record, null, deps.stores.documents)
  } else if (decision.outdated !== null) {
    await recommit(decision.outdated, new Date(deps.run.clock.wall()), deps.stores.documents)
  } else if (known?.outcome === 'failed' || known?.outcome === 'pending') {
    if ((await deps.stores.documents.read(key)) === null) await deps.stores.documents.remove(key)
  }
}

/**
 * Ends the job of a document that is now skipped: the settings changed since it was enqueued. Its entry becomes the
 * result of a scan, and nothing is bought for it.
 */
export async function skipQueued(
  { key, version }: DocumentJob,
  skip: Omit<SkippedFile, 'key'>,
  deps: DocumentDeps,
): Promise<JobVerdict> {
  const [known] = await deps.stores.ledger.read([key])
  if (known?.outcome === 'pending' && known.version === version) await skipPending({ key, ...skip }, known, deps)
  return FINISH
}

/** Like `skipQueued`, for a pending document without a job: a halted run had not enqueued it. */
export async function skipPending(file: SkippedFile, known: LedgerEntry, deps: DocumentDeps): Promise<void> {
  const decision = await decideSkip(file, known, deps)
  await updateStore(file, decision, known, deps)
  await deps.stores.ledger.advance([{ key: file.key, known, entry: decision.entry }])
}

/** Number of skipped files by extension or reason (`skipLabel`). Streams the complete ledger. */
export async function countSkipped(ledger: Ledger, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const skipped = new Map<string, number>()
  for await (const [key, { outcome, version }] of ledger.entries(signal)) {
    const reason = outcome === 'skipped' ? skipReasonOf(version) : null
    if (reason === null) continue
    const label = skipLabel(key, reason)
    skipped.set(label, (skipped.get(label) ?? 0) + 1)
  }
  return skipped
}
