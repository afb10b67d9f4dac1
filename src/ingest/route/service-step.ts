import { createHash } from 'node:crypto'
import type { Recipe } from '#src/contract/recipe.ts'
import { DEFAULT_SERVICE } from '#src/contract/rules.ts'
import { type ContentHash, type ReceiptId, type RecipeHash, recipeHash, type SourceKey } from '#src/document/ids.ts'
import { pagesOfReceipt } from '#src/document/page-list.ts'
import type { PieceDeps, Tiers } from '../process/deps.ts'

/** The service that pages of a document are bought at, and which receipts count as its answers. */
export interface ServiceStep {
  readonly name: string
  readonly deps: PieceDeps
  /** The pages that a receipt is for; null for one that is of another document or another recipe. */
  readonly pagesOf: (id: ReceiptId, content: ContentHash) => readonly number[] | null
}

/**
 * The service that a document goes to. Every answer of a service for these pages counts: nothing is bought again because a rule
 * names another service now. Earlier versions named receipts by recipe and service where a rule named several services.
 */
export function serviceStep(key: SourceKey, answers: Recipe, tiers: Tiers, deps: PieceDeps): ServiceStep {
  const name = tiers.serviceOf(key)
  const tier = name === DEFAULT_SERVICE ? tiers.own : tiers.named.get(name)
  const parsers = { ...deps.parsers, own: tier?.parsers.own ?? tiers.service, acceptLocal: false, routes: undefined }
  const all = new Set([DEFAULT_SERVICE, ...tiers.named.keys()])
  const hashes = [...[...all].map((one) => hashAt(answers, one)), answers.hash]
  return {
    name,
    deps: { ...deps, ...tier, parsers },
    pagesOf: (id, content) =>
      hashes.reduce<readonly number[] | null>((found, hash) => found ?? pagesOfReceipt(id, content, hash), null),
  }
}

/** The recipe whose receipts are those of this service; undefined: of whichever service the document goes to. */
export const recipeAt = (answers: Recipe, service: string | undefined): Recipe =>
  service === undefined ? answers : { ...answers, hash: hashAt(answers, service) }

/** Names what one service answered, so that two services can answer for the same pages. */
function hashAt({ hash }: Pick<Recipe, 'hash'>, service: string): RecipeHash {
  return recipeHash(createHash('sha256').update(`${hash}\0at service\0${service}`).digest('hex').slice(0, 16))
}
