import { assertNever } from '#src/kit/assert-never.ts'
import { batchesOf } from '#src/kit/batched-stream.ts'
import type { Failure } from '#src/document/failure.ts'
import { type Extension, extensionOf } from '@sluice/contract'
import { NO_RECIPE, receiptId, type SourceKey } from '#src/document/ids.ts'
import { KeySet } from '#src/kit/key-set.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import { policyFor } from '#src/document/parser.ts'
import { skipLabel, skipReasonOf } from '#src/document/skip.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { Change } from '#src/events.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { DecideDeps, Stores, Tier } from '../document/deps.ts'
import { findReceipt } from '../document/find-receipt.ts'
import { openListed, type ReadDocument, readOnce } from '../document/read-once.ts'
import { cutterFor, type Handling, handlingOf, needsPdfParser, refuseByContent } from '../document/preflight.ts'
import { decideSkip } from '../document/skip-file.ts'
import { decideItem } from './decide-change.ts'
import { knownVersions, type Unlisted, unlistedOf } from './unlisted.ts'

const BATCH = 200

export interface PlanDeps extends DecideDeps, Pick<Tier, 'price' | 'countPages'> {
  readonly stores: Pick<Stores, 'source' | 'owner' | 'receipts' | 'documents' | 'deadLetters' | 'ledger'>
  /** Price at the service that a rule names for a document; absent if all go to that of the pipeline. */
  readonly priceFor?: (key: SourceKey) => Tier['price']
}

/** Parser of a document in a plan, and the receipts that the plan would have bought by then. */
interface Pricing extends Pick<Tier, 'parsers' | 'price' | 'countPages'> {
  /** Hashes of planned purchases, so that a copy costs nothing. */
  readonly bought: Set<string>
}

/** Plan for one item of a source, or for a document of the ledger that the source lacks: `gone`. */
export interface PlannedItem {
  readonly key: SourceKey
  readonly change: Change
  /** Null for a file that no parser accepts. */
  readonly extension: Extension | null
  /** Reason to fail without a request; null if it would be sent, or is already done. */
  readonly refusal: Failure | null
  /** Label of a skipped file: `.txt`, `hidden`; null for a document. */
  readonly skip: string | null
  /** Number of requests for it: more than one for a PDF that is cut into pieces. */
  readonly requests: number
  /** Number of PDF pages to send; null if uncounted. */
  readonly pages: number | null
  /** Its price; 0 without a request. */
  readonly credits: number
  /** True if an existing receipt, or a copy earlier in this plan, saves the request. */
  readonly saved: boolean
  /** True for a text that would become outputs unchanged, without a request. */
  readonly passedThrough: boolean
}

/**
 * Plans a run without sending anything. It lists the source, reads new or changed documents, counts the pages of PDFs,
 * and searches for receipts. Documents of the ledger that the listing lacked follow. It streams, and remembers eight
 * bytes per item, and 16 characters per document that it would buy. `onLeftOut` receives each folder that is not listed.
 */
export async function* planSource(
  deps: PlanDeps,
  signal: AbortSignal,
  onLeftOut: (folder: Extract<SourceItem, { kind: 'left_out' }>) => void = () => undefined,
): AsyncGenerator<PlannedItem> {
  // Hashes of planned purchases, so that a copy costs nothing.
  const bought = new Set<string>()
  const listing = { listed: new KeySet(), leftOut: new KeySet() }
  let recorded = 0
  for await (const batch of batchesOf(deps.stores.source.list(signal, knownVersions(deps.stores.ledger)), BATCH)) {
    const known = await deps.stores.ledger.read(batch.map((item) => item.key))
    for (const [index, item] of batch.entries()) {
      if (item.kind === 'left_out') {
        listing.leftOut.add(item.key)
        onLeftOut(item)
      } else {
        listing.listed.add(item.key)
        if (known[index]) recorded += 1
        yield await planItem(item, known[index] ?? null, bought, deps, signal)
      }
    }
  }
  for await (const unlisted of unlistedOf(listing, deps.stores, signal, recorded)) {
    const planned = await planUnlisted(unlisted, bought, deps, signal)
    if (planned !== null) yield planned
  }
}

/** Null for a document that a run would forget, because the store has nothing of it. */
async function planUnlisted(
  { key, entry, kind }: Unlisted,
  bought: Set<string>,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<PlannedItem | null> {
  const nothing = { ...NOTHING, key, extension: null }
  const recorded = async (): Promise<boolean> => (await deps.stores.documents.read(key)) !== null
  const skip = entry.outcome === 'skipped' ? skipReasonOf(entry.version) : null
  if (kind === 'marked') return { ...nothing, change: 'gone' }
  if (kind === 'gone') return (await recorded()) ? { ...nothing, change: 'gone' } : null
  // Like the sweep: keeps a skipped file with earlier outputs.
  const isForgotten = kind === 'left_out' && entry.recipeHash === NO_RECIPE
  if (skip !== null) return isForgotten ? null : { ...nothing, change: 'skipped', skip: skipLabel(key, skip) }
  if (entry.outcome !== 'pending') return { ...nothing, change: 'unchanged' }
  // It has a job, which the rules on names end; an ignore file does not.
  if ((deps.stores.source.skips?.(key) ?? null) !== null)
    return (await recorded()) ? { ...nothing, change: 'unchanged' } : null
  const handling = handlingOf(key, deps.policy)
  if (handling === null) return { ...nothing, change: 'pending' }
  const listed = { key, version: entry.version }
  return {
    ...nothing,
    extension: extensionOf(key),
    change: 'pending',
    ...(await priced(listed, handling, pricingOf(key, handling, bought, deps), deps, signal)),
  }
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
  const decided = await decideItem(item, known, deps, signal)
  const nothing = { ...NOTHING, key, extension: extensionOf(key) }
  switch (decided.kind) {
    case 'skip': {
      const { file } = decided
      if ((await decideSkip(file, known, deps)).kind === 'stays') return { ...nothing, change: 'unchanged' }
      return { ...nothing, change: 'skipped', skip: skipLabel(key, file.reason) }
    }
    case 'unusable':
      return { ...nothing, change: 'unusable', refusal: decided.failure }
    case 'document': {
      const { change, handling, isTriedAgain } = decided
      if (change === 'unchanged' && !isTriedAgain) return { ...nothing, change }
      const pricing = pricingOf(key, handling, bought, deps)
      const sent = await priced(decided.item, handling, pricing, deps, signal)
      return { ...nothing, change, ...sent }
    }
    default:
      return assertNever(decided)
  }
}

/** A document that stays on this machine is free. With routing by page, the price assumes that every page is bought. */
function pricingOf(
  key: SourceKey,
  { recipe }: Handling,
  bought: Set<string>,
  { parsers, price, priceFor, countPages }: PlanDeps,
): Pricing {
  const policy = policyFor(parsers, key)
  if (parsers.routes?.of(key) === 'local') {
    return { bought, parsers: policy, price: () => 0, countPages: async () => null }
  }
  const isWhole = recipe.answers === undefined
  return { bought, parsers: isWhole ? policy : parsers, price: priceFor?.(key) ?? price, countPages }
}

async function priced(
  item: Pick<Extract<SourceItem, { kind: 'document' }>, 'key' | 'version'>,
  handling: Handling,
  pricing: Pricing,
  { stores, policy }: PlanDeps,
  signal: AbortSignal,
): Promise<Partial<PlannedItem>> {
  const opened = await openListed(stores.source, item, signal)
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
  const { bought, parsers, countPages, price } = pricing
  const { receipts } = stores
  const isSaved =
    bought.has(mark) ||
    (await findReceipt(read.contentHash, recipe.hash, receipts, parsers, undefined, document.address)) !== null
  if (isSaved) return { saved: true }
  bought.add(mark)
  const cutter = cutterFor({ extension, read }, policy)
  // Awaited here, because the document is closed when this function ends.
  if (cutter !== null) return await pricedPieces(read, recipe, { cutter, receipts, parsers, price }, signal)
  const pages = document.address === undefined ? await countPages(read, extension, signal) : null
  return { requests: 1, pages, credits: price(recipe, extension, pages) }
}

interface PiecePricing extends Pick<Pricing, 'parsers' | 'price'>, Pick<Stores, 'receipts'> {
  readonly cutter: PieceCutter
}

/** Price of a document over the limit, cut like in a run: each piece is a separate document for the service. */
async function pricedPieces(
  read: ReadDocument,
  recipe: Recipe,
  { cutter, receipts, parsers, price }: PiecePricing,
  signal: AbortSignal,
): Promise<Partial<PlannedItem>> {
  const [parser] = recipe.options.parsers
  if (parser === undefined) return { refusal: needsPdfParser }
  const cut = await cutter.cut({ read: read.reread, upToPage: parser.maxPages ?? null }, signal)
  if ('message' in cut) return { refusal: cut }
  await using document = cut
  let [requests, pages, credits] = [0, 0, 0]
  for (const piece of document.pieces) {
    if ((await findReceipt(piece.contentHash, recipe.hash, receipts, parsers)) !== null) continue
    requests += 1
    pages += piece.pages.length
    credits += price(recipe, 'pdf', piece.pages.length)
  }
  return requests === 0 ? { saved: true } : { requests, pages, credits }
}
