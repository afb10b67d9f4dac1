import { createHash } from 'node:crypto'
import type { Recipe } from '#src/client/recipe.ts'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { type ReceiptId, type RecipeHash, recipeHash } from '#src/document/ids.ts'
import { pagesOfReceipt } from '#src/document/page-list.ts'
import type { DocumentDeps, RoutedTiers, Stores } from '../document/deps.ts'
import type { FoundReceipt } from '../document/find-receipt.ts'
import { type ReadAnswer, reusedAnswer } from '../document/obtain-answer.ts'
import type { Work } from '../document/work.ts'

/** The service that sells pages of a document, and the receipts that count as its answers. */
export interface ServiceStep {
  readonly name: string
  /** Pages of a receipt; null for a receipt of another document or another recipe. */
  readonly pagesOf: (id: ReceiptId) => readonly number[] | null
}

/**
 * Service of a document. Every answer of a service for these pages counts: a rule that now names another service causes
 * no second purchase. If a rule named several services, earlier versions named receipts by recipe and service.
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

/** Recipe whose receipts belong to this service; undefined: to any service of the document. */
export const recipeAt = (answers: Recipe, service: string | undefined): Recipe =>
  service === undefined ? answers : { ...answers, hash: hashAt(answers, service) }

/** Hash of one service's answers, so that two services can answer for the same pages. */
function hashAt({ hash }: Pick<Recipe, 'hash'>, service: string): RecipeHash {
  return recipeHash(createHash('sha256').update(`${hash}\0at service\0${service}`).digest('hex').slice(0, 16))
}

/** Some pages of a document with the service's answer for them. */
export interface BoughtPart extends ReadAnswer {
  readonly pages: readonly number[]
  /** Name of the service that answered. */
  readonly service: string
}

/** Existing answers of this service for pages of this document, with at least one of these pages. */
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
 * Finds a receipt of this service with at least one of these pages. It runs under the document's intent. A copy may
 * have bought some of them since `boughtBefore`, in other lists, because failed lists are halved.
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

/**
 * Streams the receipts of this service with one of these pages. The caller may remove pages from the set during the
 * iteration; these match no further receipt.
 */
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
    // A receipt without a parser belongs to the present service.
    if (kept !== null)
      yield { id, pages, body: kept.body, parser: kept.parser ?? { ...work.tier.parsers.own, at: null } }
  }
}
