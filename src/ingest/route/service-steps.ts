import { createHash } from 'node:crypto'
import type { Recipe } from '#src/contract/recipe.ts'
import { DEFAULT_SERVICE } from '#src/contract/rules.ts'
import { type ContentHash, type ReceiptId, type RecipeHash, recipeHash, type SourceKey } from '#src/document/ids.ts'
import { pagesOfReceipt } from '#src/document/page-list.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { PieceDeps, Tiers } from '../deps.ts'

/** One service that pages of a document may be bought at, and which receipts count as its answers. */
export interface ServiceStep {
  readonly name: string
  readonly deps: PieceDeps
  /** Its hash is in the names of the receipts of what is bought there. */
  readonly recipe: Recipe
  /** The pages that a receipt is for; null for one that is of another document or another recipe. */
  readonly pagesOf: (id: ReceiptId, content: ContentHash) => readonly number[] | null
  /** Whether an answer with such pages counts as this service's. */
  readonly owns: (id: ReceiptId, parser: ParserFacts | null) => boolean
}

/**
 * The services of a document in the order of its rule. Where there is one, every answer of a service for these pages counts:
 * nothing is bought again because a rule names another service now. In an order of several each has receipts of its own,
 * named by recipe and service; older ones without a service's name belong to the one whose address they name, or to the
 * first.
 */
export function serviceSteps(key: SourceKey, answers: Recipe, tiers: Tiers, deps: PieceDeps): readonly ServiceStep[] {
  const { names, whenDown } = tiers.servicesOf(key)
  const several = names.length > 1
  const steps = names.map((name, at) => {
    const tier = name === DEFAULT_SERVICE ? tiers.own : tiers.named.get(name)
    const service = tier?.parsers.own ?? tiers.service
    const parsers = { ...deps.parsers, own: service, acceptLocal: false, routes: undefined }
    const leavesWhenDown = whenDown === 'next' && at < names.length - 1
    return { name, origin: service.origin, deps: { ...deps, ...tier, parsers, leavesWhenDown } }
  })
  const origins = steps.map(({ origin }) => origin)
  const all = [...new Set([DEFAULT_SERVICE, ...tiers.named.keys(), ...names])]
  return steps.map(({ name, origin, deps: own }, at): ServiceStep => {
    const named = (several ? [name] : all).map((one) => hashAt(answers, one))
    const hashes = [...named, answers.hash]
    const belongs = (parser: ParserFacts | null): boolean =>
      !several || parser?.origin === origin || (at === 0 && !origins.includes(parser?.origin ?? ''))
    return {
      name,
      deps: own,
      recipe: several ? recipeAt(answers, name) : answers,
      pagesOf: (id, content) =>
        hashes.reduce<readonly number[] | null>((found, hash) => found ?? pagesOfReceipt(id, content, hash), null),
      owns: (id, parser) => !isPlain(id, answers) || belongs(parser),
    }
  })
}

/** The recipe whose receipts are those of this service; undefined: of whichever service the document goes to. */
export const recipeAt = (answers: Recipe, service: string | undefined): Recipe =>
  service === undefined ? answers : { ...answers, hash: hashAt(answers, service) }

/** Names what one service of an order answered, so that two services can answer for the same pages. */
function hashAt({ hash }: Pick<Recipe, 'hash'>, service: string): RecipeHash {
  return recipeHash(createHash('sha256').update(`${hash}\0at service\0${service}`).digest('hex').slice(0, 16))
}

const isPlain = (id: ReceiptId, { hash }: Recipe): boolean => id.endsWith(`-${hash}-service`)
