import { readAnswer } from '#src/contract/read-answer.ts'
import { extensionOf } from '#src/document/formats.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { agreementOf, type PageAgreement } from '#src/route/audit/agreement.ts'
import type { IngestDeps, OwnedStore, Tiers } from '../deps.ts'
import { readOnce } from '../process/read-once.ts'
import { answersRecipe, boughtAgain, buyPage } from './buy-page.ts'

export interface RecheckOptions {
  /** Credits that may be spent, by the price model. */
  readonly budget: number
  /** Names this recheck: what it bought is found again when it is repeated under the same name. */
  readonly name: string
  /** 0 to below 1, repeatable. */
  readonly next: () => number
}

/** A receipt of the service beside what the service says of the same bytes now. */
export type Rechecked =
  | {
      readonly kind: 'rechecked'
      readonly key: SourceKey
      /** When the old answer came; null where that was not kept. */
      readonly answeredAt: string | null
      readonly agreement: PageAgreement
      readonly credits: number
    }
  | { readonly kind: 'unchecked'; readonly key: SourceKey; readonly message: string }

/** Documents drawn at the most, where they cost nothing. */
const MOST_DRAWN = 1_000

/** Buys some receipts of the service again, drawn at random until the budget would be exceeded, and compares old and new. */
export async function* recheckReceipts(
  { budget, name, next }: RecheckOptions,
  deps: IngestDeps,
  signal: AbortSignal,
): AsyncGenerator<Rechecked> {
  let left = budget
  for (const record of await drawn(Math.min(MOST_DRAWN, Math.max(1, Math.floor(budget))), next, deps, signal)) {
    const extension = extensionOf(record.key)
    if (extension === null) continue
    const recipe = answersRecipe(deps.recipeFor(record.key, extension))
    const price = deps.price(recipe, extension, record.pages.parsed)
    if (price > left) continue
    const rechecked = await recheck(record, name, deps, signal)
    left -= rechecked.kind === 'rechecked' ? Math.max(price, rechecked.credits) : 0
    yield rechecked
  }
}

/** Records that a whole answer of a service stands behind: a uniform sample (reservoir), whatever their number. */
async function drawn(
  count: number,
  next: () => number,
  { store, owner, tiers }: OwnedStore & { readonly tiers?: Tiers | undefined },
  signal: AbortSignal,
): Promise<DocumentRecord[]> {
  const sample: DocumentRecord[] = []
  let seen = 0
  for await (const record of store.listRecords(signal)) {
    if (!belongsTo(record, owner) || record.parser?.class !== 'service' || record.receipt === null) continue
    if (tiers?.mustStay(record.key) === true) continue
    seen += 1
    if (sample.length < count) sample.push(record)
    else {
      const at = Math.floor(next() * seen)
      if (at < count) sample[at] = record
    }
  }
  return sample
}

async function recheck(
  record: DocumentRecord,
  name: string,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<Rechecked> {
  const { key, receipt, contentHash } = record
  const unchecked = (message: string): Rechecked => ({ kind: 'unchecked', key, message })
  const extension = extensionOf(key)
  if (receipt === null || extension === null) return unchecked('it has no receipt')
  const old = await deps.store.readReceipt(receipt)
  if (old === null) return unchecked('its receipt is gone or damaged: sluice verify')
  const opened = await deps.source.open(key, signal)
  if ('message' in opened) return unchecked(opened.message)
  await using document = opened
  const read = await readOnce(document, signal)
  if (read.contentHash !== contentHash) return unchecked('it changed since: the next run parses it')
  const own = deps.recipeFor(key, extension)
  const recipe = answersRecipe(own)
  if (own.hash !== record.recipeHash) return unchecked('its options changed since: the next run parses it')
  const page = { key, version: document.version, read, extension, pages: record.pages.parsed }
  const bought = await buyPage(page, boughtAgain(recipe, name), deps, signal)
  if (bought.kind === 'failed') return unchecked(bought.failure.message)
  const before = readAnswer(old.body, deps.clock.wall()).data.markdown ?? ''
  return {
    kind: 'rechecked',
    key,
    answeredAt: record.parser?.at ?? null,
    agreement: agreementOf(before, bought.reading.data.markdown ?? ''),
    credits: bought.credits,
  }
}
