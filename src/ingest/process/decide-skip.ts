import { NO_RECIPE, type SourceKey, type Version } from '#src/document/ids.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { type SkipReason, skipVersion } from '#src/document/skip.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { redacts } from '#src/contract/passthrough.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { OwnedStore, Recipes } from './deps.ts'
import { parserOfRecord } from './record-parser.ts'

/** A file that is no document, as a scan finds it. */
export interface SkippedFile {
  readonly key: SourceKey
  readonly reason: SkipReason
  /** Of a file that only the present settings leave out, a text that is not passed through; null where a rule did. */
  readonly version: Version | null
}

/**
 * - `stays`: its outputs came out before a rule left it out, and stand for it: it stays done.
 * - `skipped`: it is counted as skipped. `outdated` is the record of outputs that stand for it no more.
 */
export type SkipDecision =
  | { readonly kind: 'stays'; readonly entry: LedgerEntry; readonly record: DocumentRecord | null }
  | { readonly kind: 'skipped'; readonly entry: LedgerEntry; readonly outdated: DocumentRecord | null }

export type SkipDeps = OwnedStore & Recipes

/** There is no document of that name any more, whatever the rules are. */
const REPLACED: readonly SkipReason[] = ['symlink', 'special', 'hard_link', 'duplicate', 'outside']

export const skippedFileOf = ({ key, ...entry }: Extract<SourceItem, { kind: 'document' | 'skipped' }>): SkippedFile =>
  entry.kind === 'skipped'
    ? { key, reason: entry.reason, version: null }
    : { key, reason: 'unsupported', version: entry.version }

/**
 * Outputs stay those of a file that a rule leaves out: the rule says that this run ignores it. They do not stay
 * where the file was replaced by something else, where a text changed that is not passed through any more, and where
 * texts are to be redacted. Reads the store only where the outcome changes.
 */
export async function decideSkip(file: SkippedFile, known: LedgerEntry | null, deps: SkipDeps): Promise<SkipDecision> {
  const isDone = (known?.outcome === 'done' || known?.outcome === 'partial') && known.version !== GONE
  if (known !== null && isDone && stands(file, known.version, deps))
    return { kind: 'stays', entry: known, record: null }
  // The recipe of outputs that are outdated and kept stands in the entry.
  const recipeHash = known?.outcome === 'skipped' ? known.recipeHash : NO_RECIPE
  const skipped = { version: skipVersion(file.reason), recipeHash, outcome: 'skipped' } as const
  if (known === null || known.outcome === 'skipped') return { kind: 'skipped', entry: skipped, outdated: null }
  const record = await deps.store.readRecord(file.key)
  if (record === null || !belongsTo(record, deps.owner)) return { kind: 'skipped', entry: skipped, outdated: null }
  if (record.goneAt === undefined && !isDone && stands(file, record.version, deps)) {
    const isLocal = (await parserOfRecord(record, deps.store)).class === 'embedded'
    const { version, recipeHash: recipe, outcome } = record
    return { kind: 'stays', entry: { version, recipeHash: recipe, outcome, isLocal }, record }
  }
  return { kind: 'skipped', entry: { ...skipped, recipeHash: record.recipeHash }, outdated: record }
}

/** Whether the outputs of version `done` stand for a file that is left out now. */
function stands({ key, reason, version }: SkippedFile, done: Version, { recipeFor }: SkipDeps): boolean {
  if (REPLACED.includes(reason)) return false
  return version === null || (version === done && !redacts(recipeFor, key))
}
