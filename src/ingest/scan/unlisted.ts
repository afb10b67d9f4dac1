import type { SourceKey } from '#src/document/ids.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import { seen } from '#src/document/outcome.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { KnownVersions, Source } from '#src/ports/source.ts'
import type { KeySet } from '#src/kit/key-set.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { Recipes } from '../document/deps.ts'
import { handlingOf } from '../document/preflight.ts'

/** Result of a complete listing of a source. */
export interface Listing {
  /** Every listed key. */
  readonly listed: KeySet
  /** Number of listed documents: without skipped and unusable files. */
  readonly documents: number
  /** Excluded folders. */
  readonly leftOut: KeySet
}

/**
 * State of an entry of the ledger that a listing lacked.
 *
 * - `marked`: it is gone, and was before
 * - `gone`: the source itself confirms it for that very document
 * - `left_out`: it is below an excluded folder
 * - `there`: the source has it, or it is below an unlistable folder
 */
export interface Unlisted {
  readonly key: SourceKey
  readonly entry: LedgerEntry
  readonly kind: 'marked' | 'gone' | 'left_out' | 'there'
}

/** Versions of the last listing, for a source that compares with them. */
export const knownVersions = (ledger: Pick<Ledger, 'entries'>): KnownVersions =>
  async function* (signal) {
    for await (const [key, { version }] of ledger.entries(signal)) if (version !== GONE) yield [key, version]
  }

/** Streams the complete ledger, unless it has no more documents than the `recorded` ones of the listing. */
export async function* unlistedOf(
  { listed, leftOut }: Pick<Listing, 'listed' | 'leftOut'>,
  { source, ledger }: { readonly source: Source; readonly ledger: Ledger },
  signal: AbortSignal,
  recorded = listed.size,
): AsyncGenerator<Unlisted> {
  const counts = await ledger.counts()
  if (source.isPartial === true || seen(counts) + counts.gone <= recorded) return
  for await (const [key, entry] of ledger.entries(signal)) {
    if (listed.has(key)) continue
    const isMarked = entry.version === GONE
    const isKnown = isMarked || isBelow(key, listed) || (entry.outcome === 'skipped' && isBelow(key, leftOut))
    if (!isKnown && (await isGone(key, source, signal))) yield { key, entry, kind: 'gone' }
    else yield { key, entry, kind: isMarked ? 'marked' : isBelow(key, leftOut) ? 'left_out' : 'there' }
  }
}

/** An unlistable folder is itself listed, with a slash at its end, and so is one that a rule excludes. */
function isBelow(key: SourceKey, folders: KeySet): boolean {
  for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
    if (folders.has(key.slice(0, slash + 1))) return true
  }
  return false
}

/** False for a file that a rule or its format skips, and for an unusable one. */
export const isListedDocument = (item: SourceItem, policy: Recipes): boolean =>
  item.kind === 'document' && handlingOf(item.key, policy) !== null

export async function isGone(key: SourceKey, source: Source, signal: AbortSignal): Promise<boolean> {
  const opened = await source.open(key, signal)
  if ('message' in opened) return opened.code === 'vanished'
  await opened[Symbol.asyncDispose]()
  return false
}
