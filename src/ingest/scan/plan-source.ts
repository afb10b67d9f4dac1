import type { Failure } from '#src/document/failure.ts'
import type { Extension } from '#src/document/formats.ts'
import { NO_RECIPE, receiptId, type SourceKey } from '#src/document/ids.ts'
import { policyFor } from '#src/document/parser.ts'
import { skipLabel, skipReasonOf } from '#src/document/skip.ts'
import type { Change } from '#src/events.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { Clock } from '#src/ports/clock.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { Source } from '#src/ports/source.ts'
import { batchesOf } from '#src/document/batched-stream.ts'
import { decideByContent } from './compare-content.ts'
import { findReceipt } from '../process/find-receipt.ts'
import { isKeptErrorPage, mayBeErrorPage } from './kept-error-page.ts'
import { decideChange, acceptanceOf, failedByChance } from './decide-change.ts'
import { decideSkip, skippedFileOf } from '../process/skip-file.ts'
import type { PriceModel } from '../process/costs.ts'
import type { ChangeDeps, OwnedStore, Receipts, Recipes, Tier } from '../process/deps.ts'
import { type Handling, handlingOf, cutterFor, refuseByContent, refuseByListing } from '../process/preflight.ts'
import { KeySet } from '#src/document/key-set.ts'
import { planPieces } from '../process/plan-pieces.ts'
import { openListed } from '../process/open-listed.ts'
import { readOnce } from '../process/read-once.ts'
import { type Unlisted, unlistedOf } from './unlisted.ts'

const BATCH = 200

export interface PlanDeps extends OwnedStore, Receipts, Recipes, PriceModel, ChangeDeps {
  /** Of the service that a rule names for a document; missing where all go to that of the pipeline. */
  readonly priceFor?: (key: SourceKey) => PriceModel['price']
  readonly source: Source
  readonly clock: Pick<Clock, 'wall'>
  readonly ledger: Ledger
  readonly countPages: Tier['countPages']
  readonly cutter: PieceCutter | null
  readonly checksum: boolean
}

/** What would be done with one item of a source, or with a document that the ledger has and the source has not: `gone`. */
export interface PlannedItem {
  readonly key: SourceKey
  readonly change: Change
  /** Null for a file that no parser takes. */
  readonly extension: Extension | null
  /** Why it would end failed without being sent; null when it would be sent, or is done already. */
  readonly refusal: Failure | null
  /** What it is counted under as no document: `.txt`, `hidden`; null for a document. */
  readonly skip: string | null
  /** Requests that would be sent for it: more than one for a PDF that is cut into pieces. */
  readonly requests: number
  /** Pages of a PDF that would be sent; null where none were counted. */
  readonly pages: number | null
  /** Its price; 0 when nothing would be sent for it. */
  readonly credits: number
  /** True when a receipt that is there, or a copy earlier in this plan, saves the request. */
  readonly saved: boolean
  /** True for a text that would become outputs as it is, without a request. */
  readonly passedThrough: boolean
}

/**
 * What a run would do, without sending anything: lists the source, reads what is new or changed, counts the pages of
 * PDFs, searches for receipts; then what the ledger has and the listing had not. Streams; of what it saw it keeps eight bytes
 * for each item, and 16 characters for each document that it would buy.
 */
export async function* planSource(deps: PlanDeps, signal: AbortSignal): AsyncGenerator<PlannedItem> {
  // Marks of what was planned to be bought, so that a copy of it costs nothing.
  const bought = new Set<string>()
  const listing = { listed: new KeySet(), leftOut: new KeySet() }
  let recorded = 0
  for await (const batch of batchesOf(deps.source.list(signal), BATCH)) {
    const known = await deps.ledger.read(batch.map((item) => item.key))
    for (const [index, item] of batch.entries()) {
      if (item.kind === 'left_out') listing.leftOut.add(item.key)
      else {
        listing.listed.add(item.key)
        if (known[index]) recorded += 1
        yield await planItem(item, known[index] ?? null, bought, deps, signal)
      }
    }
  }
  for await (const unlisted of unlistedOf(listing, deps, signal, recorded)) {
    const planned = await planUnlisted(unlisted, bought, deps, signal)
    if (planned !== null) yield planned
  }
}

/** Null for what a run would forget: it leaves nothing in the store. */
async function planUnlisted(
  { key, entry, kind }: Unlisted,
  bought: Set<string>,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<PlannedItem | null> {
  const nothing = { ...NOTHING, key, extension: null }
  const recorded = async (): Promise<boolean> => (await deps.store.readRecord(key)) !== null
  const skip = entry.outcome === 'skipped' ? skipReasonOf(entry.version) : null
  if (kind === 'marked') return { ...nothing, change: 'gone' }
  if (kind === 'gone') return (await recorded()) ? { ...nothing, change: 'gone' } : null
  // As the sweep: a skipped file whose earlier outputs are kept is not forgotten.
  const isForgotten = kind === 'left_out' && entry.recipeHash === NO_RECIPE
  if (skip !== null) return isForgotten ? null : { ...nothing, change: 'skipped', skip: skipLabel(key, skip) }
  if (entry.outcome !== 'pending') return { ...nothing, change: 'unchanged' }
  // It has a job, which the rules on names end; an ignore file does not.
  if ((deps.source.skips?.(key) ?? null) !== null)
    return (await recorded()) ? { ...nothing, change: 'unchanged' } : null
  const handling = handlingOf(key, deps)
  if (handling === null) return { ...nothing, change: 'pending' }
  const extension = handling.kind === 'parse' ? handling.extension : null
  const ownDeps = forDocument(key, handling, deps)
  const listed = { key, version: entry.version }
  return { ...nothing, extension, change: 'pending', ...(await priced(listed, handling, bought, ownDeps, signal)) }
}

const NOTHING = {
  refusal: null,
  skip: null,
  requests: 0,
  pages: null,
  credits: 0,
  saved: false,
  passedThrough: false,
} as const

async function planItem(
  item: Exclude<SourceItem, { kind: 'left_out' }>,
  known: LedgerEntry | null,
  bought: Set<string>,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<PlannedItem> {
  const { key } = item
  const handling = handlingOf(key, deps)
  const extension = handling?.kind === 'parse' ? handling.extension : null
  const nothing = { ...NOTHING, key, extension }
  if (item.kind === 'skipped' || (item.kind === 'document' && handling === null)) {
    const file = skippedFileOf(item)
    if ((await decideSkip(file, known, deps)).kind === 'stays') return { ...nothing, change: 'unchanged' }
    return { ...nothing, change: 'skipped', skip: skipLabel(key, file.reason) }
  }
  const refusal = item.kind === 'unusable' ? item.failure : refuseByListing(handling, item.bytes, deps.cutter)
  if (item.kind === 'unusable' || refusal !== null || handling === null) {
    return { ...nothing, change: 'unusable', refusal }
  }
  const listed = { key, version: item.version, recipeHash: handling.recipe.hash }
  const seen = deps.checksum
    ? (await decideByContent(known, listed, deps, signal)).change
    : decideChange(known, listed, acceptanceOf(key, deps))
  const isErrorPage = seen === 'unchanged' && mayBeErrorPage(key, known, deps) && (await isKeptErrorPage(key, deps))
  const change = isErrorPage ? 'changed' : seen
  const ownDeps = forDocument(key, handling, deps)
  const hasFailed = change === 'unchanged' && known?.outcome === 'failed'
  const letter = hasFailed ? await deps.store.readDeadLetter(key) : null
  if (change !== 'unchanged' || (hasFailed && failedByChance(letter, deps.clock.wall()))) {
    return { ...nothing, change, ...(await priced(item, handling, bought, ownDeps, signal)) }
  }
  return { ...nothing, change }
}

/** A document that stays on this machine costs nothing. One that is routed by page is priced as if every page were bought. */
function forDocument(key: SourceKey, handling: Handling, deps: PlanDeps): PlanDeps {
  const parsers = policyFor(deps.parsers, key)
  if (deps.parsers.routes?.of(key) === 'local') {
    return { ...deps, parsers, price: () => 0, countPages: async () => null }
  }
  const atService = { ...deps, price: deps.priceFor?.(key) ?? deps.price }
  return handling.recipe.answers === undefined ? { ...atService, parsers } : atService
}

async function priced(
  item: Pick<Extract<SourceItem, { kind: 'document' }>, 'key' | 'version'>,
  handling: Handling,
  bought: Set<string>,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<Partial<PlannedItem>> {
  const opened = await openListed(deps.source, item, signal)
  if ('message' in opened) return { refusal: opened }
  await using document = opened
  const read = await readOnce(document, signal)
  const refusal = document.address === undefined ? refuseByContent(item.key, read.head) : null
  if (refusal !== null) return { refusal }
  if (handling.kind === 'passthrough') return { passedThrough: true }
  const { extension } = handling
  const recipe = handling.recipe.answers ?? handling.recipe
  const id = receiptId(read.contentHash, recipe.hash)
  const mark = `${id.slice(0, 12)}${recipe.hash.slice(0, 4)}`
  if (
    bought.has(mark) ||
    (await findReceipt(read.contentHash, recipe.hash, deps, undefined, document.address)) !== null
  )
    return { saved: true }
  bought.add(mark)
  const cutter = cutterFor({ extension, read }, deps)
  if (cutter !== null) {
    const cut = await planPieces(read, recipe, cutter, deps, signal)
    if ('message' in cut) return { refusal: cut }
    return cut.requests === 0 ? { saved: true } : cut
  }
  const pages = document.address === undefined ? await deps.countPages(read, extension, signal) : null
  return { requests: 1, pages, credits: deps.price(recipe, extension, pages) }
}
