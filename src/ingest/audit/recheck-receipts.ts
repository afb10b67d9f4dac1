import { readAnswer } from '#src/contract/read-answer.ts'
import { DEFAULT_SERVICE } from '#src/contract/rules.ts'
import { extensionOf } from '#src/document/formats.ts'
import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { agreementOf, type PageAgreement } from '#src/route/audit/agreement.ts'
import type { IngestDeps, OwnedStore, Tiers } from '../deps.ts'
import { readOnce } from '../process/read-once.ts'
import { hashAt } from '../route/service-steps.ts'
import { answersRecipe, boughtAgain, buyPage } from './buy-page.ts'
import { cutOut, onService, partReceipt } from './recheck-pages.ts'

export interface RecheckOptions {
  /** Credits that may be spent, by the price model. */
  readonly budget: number
  /** Names this recheck: what it bought is found again when it is repeated under the same name. */
  readonly name: string
  /** 0 to below 1, repeatable. */
  readonly next: () => number
  /** Only receipts of this service; undefined: of that of the pipeline. */
  readonly service?: string | undefined
  /** Addresses of the other services: their receipts are left out. */
  readonly origins?: readonly string[]
}

/** A receipt of the service beside what the service says of the same bytes now. */
export type Rechecked =
  | {
      readonly kind: 'rechecked'
      readonly key: SourceKey
      /** Of an answer for single pages of a document: which ones; null for that of a whole document. */
      readonly pages: readonly number[] | null
      /** When the old answer came; null where that was not kept. */
      readonly answeredAt: string | null
      readonly agreement: PageAgreement
      readonly credits: number
    }
  | { readonly kind: 'unchecked'; readonly key: SourceKey; readonly message: string }

/** Documents drawn at the most, where they cost nothing. */
const MOST_DRAWN = 1_000

/** An answer of the service: for a whole document, or for some pages of one that is routed. */
interface Purchased {
  readonly record: DocumentRecord
  readonly receipt: ReceiptId
  /** Null: the whole document. */
  readonly pages: readonly number[] | null
}

/** Buys some receipts of the service again, drawn at random until the budget would be exceeded, and compares old and new. */
export async function* recheckReceipts(
  { budget, name, next, service, origins = [] }: RecheckOptions,
  deps: IngestDeps,
  signal: AbortSignal,
): AsyncGenerator<Rechecked> {
  let left = budget
  // Where some are left out, more have to be drawn.
  const most = origins.length > 0 ? MOST_DRAWN : Math.min(MOST_DRAWN, Math.max(1, Math.floor(budget)))
  for (const purchased of await drawn(most, next, deps, signal)) {
    const { record, pages } = purchased
    const extension = extensionOf(record.key)
    if (extension === null) continue
    const recipe = answersRecipe(deps.recipeFor(record.key, extension))
    const price = deps.price(recipe, extension, pages?.length ?? record.pages.parsed)
    if (price > left) continue
    const rechecked = await recheck(purchased, { name, service, origins }, deps, signal)
    if (rechecked === null) continue
    left -= rechecked.kind === 'rechecked' ? Math.max(price, rechecked.credits) : 0
    yield rechecked
  }
}

/** Answers of a service that records refer to: a uniform sample (reservoir), whatever their number. */
async function drawn(
  count: number,
  next: () => number,
  { store, owner, tiers }: OwnedStore & { readonly tiers?: Tiers | undefined },
  signal: AbortSignal,
): Promise<Purchased[]> {
  const sample: Purchased[] = []
  let seen = 0
  for await (const record of store.listRecords(signal)) {
    if (!belongsTo(record, owner) || tiers?.mustStay(record.key) === true) continue
    for (const purchased of purchasesOf(record)) {
      seen += 1
      if (sample.length < count) sample.push(purchased)
      else {
        const at = Math.floor(next() * seen)
        if (at < count) sample[at] = purchased
      }
    }
  }
  return sample
}

function purchasesOf(record: DocumentRecord): Purchased[] {
  const { receipt, parser, pieces = [] } = record
  if (receipt !== null) return parser?.class === 'service' ? [{ record, receipt, pages: null }] : []
  return pieces.flatMap((piece) =>
    piece.pages === undefined || piece.receipt === null ? [] : [{ record, receipt: piece.receipt, pages: piece.pages }],
  )
}

async function recheck(
  { record, receipt, pages }: Purchased,
  { name, service, origins }: Pick<RecheckOptions, 'name' | 'service'> & { readonly origins: readonly string[] },
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<Rechecked | null> {
  const { key, contentHash } = record
  const unchecked = (message: string): Rechecked => ({ kind: 'unchecked', key, message })
  const extension = extensionOf(key)
  if (extension === null) return unchecked('it has no format that is parsed')
  const old = await deps.store.readReceipt(receipt)
  if (old === null) return unchecked('its receipt is gone or damaged: sluice verify')
  if (origins.includes(old.parser?.origin ?? '')) return null
  const opened = await deps.source.open(key, signal)
  if ('message' in opened) return unchecked(opened.message)
  await using document = opened
  const read = await readOnce(document, signal)
  if (read.contentHash !== contentHash) return unchecked('it changed since: the next run parses it')
  const own = deps.recipeFor(key, extension)
  const recipe = answersRecipe(own)
  // Pages keep their receipts when the terms of routing change, a whole document does not.
  const named = hashAt(recipe, service ?? DEFAULT_SERVICE)
  const isSame =
    pages === null
      ? own.hash === record.recipeHash
      : [recipe.hash, named].some((hash) => receipt === partReceipt(record, pages, hash))
  if (!isSame) return unchecked('its options changed since: give those of its run, or let the next run parse it')
  const whole = { key, version: document.version, read, extension, pages: record.pages.parsed }
  const cut = pages === null ? null : await cutOut(whole, pages, deps, signal)
  if (cut !== null && 'message' in cut) return unchecked(cut.message)
  await using wanted = cut
  const bought = await buyPage(
    wanted ?? whole,
    boughtAgain(recipe, service === undefined ? name : `${name}\0${service}`),
    onService(deps),
    signal,
  )
  if (bought.kind === 'failed') return unchecked(bought.failure.message)
  const before = readAnswer(old.body, deps.clock.wall()).data.markdown ?? ''
  return {
    kind: 'rechecked',
    key,
    pages,
    answeredAt: old.parser?.at ?? record.parser?.at ?? null,
    agreement: agreementOf(before, bought.reading.data.markdown ?? ''),
    credits: bought.credits,
  }
}
