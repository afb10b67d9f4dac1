import { createHash } from 'node:crypto'
import type { Recipe } from '#src/client/recipe.ts'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { type ReceiptId, type RecipeHash, recipeHash } from '#src/document/ids.ts'
import { pagesOfReceipt } from '#src/document/page-list.ts'
import type { DocumentDeps, RoutedTiers, Stores } from '../document/deps.ts'
import type { FoundReceipt } from '../document/find-receipt.ts'
import { type ReadAnswer, reusedAnswer } from '../document/obtain-answer.ts'
import type { Work } from '../document/work.ts'

/** The service that pages of a document are bought at, and which receipts count as its answers. */
export interface ServiceStep {
  readonly name: string
  /** The pages that a receipt is for; null for one that is of another document or another recipe. */
  readonly pagesOf: (id: ReceiptId) => readonly number[] | null
}

/**
 * The service that a document goes to. Every answer of a service for these pages counts: nothing is bought again because a rule
 * names another service now. Earlier versions named receipts by recipe and service where a rule named several services.
 */
export function serviceStep({ job, read }: Work, answers: Recipe, tiers: RoutedTiers): ServiceStep {
  const name = tiers.serviceOf(job.key)
  const all = new Set([DEFAULT_SERVICE, ...tiers.named.keys()])
  const hashes = [...[...all].map((one) => hashAt(answers, one)), answers.hash]
  return {
    name,
    pagesOf: (id) =>
      hashes.reduce<readonly number[] | null>(
        (found, hash) => found ?? pagesOfReceipt(id, read.contentHash, hash),
        null,
      ),
  }
}

/** The recipe whose receipts are those of this service; undefined: of whichever service the document goes to. */
export const recipeAt = (answers: Recipe, service: string | undefined): Recipe =>
  service === undefined ? answers : { ...answers, hash: hashAt(answers, service) }

/** Names what one service answered, so that two services can answer for the same pages. */
function hashAt({ hash }: Pick<Recipe, 'hash'>, service: string): RecipeHash {
  return recipeHash(createHash('sha256').update(`${hash}\0at service\0${service}`).digest('hex').slice(0, 16))
}

/** Some pages of a document with the service's answer for them. */
export interface BoughtPart extends ReadAnswer {
  readonly pages: readonly number[]
  /** Name of the service that answered. */
  readonly service: string
}

/** This service's answers for pages of this document that are there already and hold one of these pages at least. */
export async function boughtBefore(
  work: Work,
  wanted: readonly number[],
  step: ServiceStep,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<BoughtPart[]> {
  const { recipe, job } = work
  const { name: service } = step
  if (recipe.options.zeroDataRetention || wanted.length === 0) return []
  const missing = new Set(wanted)
  const parts: BoughtPart[] = []
  for await (const { pages, ...receipt } of partsWith(work, missing, step, deps.stores, signal)) {
    parts.push({ pages, service, ...(await reusedAnswer(receipt, work, deps)) })
    for (const page of pages) missing.delete(page)
    work.hold.giveBack()
  }
  if (parts.length > 0) deps.run.events.emit('receipt:reused', { key: job.key })
  return parts
}

/**
 * A receipt of this service that holds one of these pages at least. Asked while the intent of the document stands: a copy
 * of it may have bought some of them since `boughtBefore`, in other lists, as lists that fail are halved.
 */
export async function findPart(
  work: Work,
  pages: readonly number[],
  step: ServiceStep,
  stores: Stores,
  signal: AbortSignal,
): Promise<FoundReceipt | null> {
  for await (const { id, body, parser } of partsWith(work, new Set(pages), step, stores, signal))
    return { id, body, parser }
  return null
}

/** The receipts of this service that hold one of these pages; pages that are taken from the set meanwhile ask for no other. */
async function* partsWith(
  work: Work,
  wanted: ReadonlySet<number>,
  { pagesOf }: ServiceStep,
  { receipts }: Stores,
  signal: AbortSignal,
): AsyncGenerator<FoundReceipt & { readonly pages: readonly number[] }> {
  const found: { readonly id: ReceiptId; readonly pages: readonly number[] }[] = []
  for await (const { id } of receipts.list(signal, work.read.contentHash)) {
    const pages = pagesOf(id)
    if (pages !== null) found.push({ id, pages })
  }
  // Most pages first, and always in the same order.
  found.sort((a, b) => b.pages.length - a.pages.length || (a.id < b.id ? -1 : 1))
  for (const { id, pages } of found) {
    if (!pages.some((page) => wanted.has(page))) continue
    const kept = await receipts.read(id, { hold: work.hold, signal })
    // A receipt that names no parser is of the service that is asked now.
    if (kept !== null)
      yield { id, pages, body: kept.body, parser: kept.parser ?? { ...work.tier.parsers.own, at: null } }
  }
}
