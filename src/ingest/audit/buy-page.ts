import { createHash } from 'node:crypto'
import { type AnswerReading, readAnswer } from '#src/contract/read-answer.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import { assertNever } from '#src/document/assert-never.ts'
import { backoffMs } from '#src/document/backoff.ts'
import type { Failure } from '#src/document/failure.ts'
import type { Extension } from '#src/document/formats.ts'
import { receiptId, recipeHash, type SourceKey, type Version } from '#src/document/ids.ts'
import type { IngestDeps } from '../process/deps.ts'
import { AT_ONCE } from '../process/approach-gate.ts'
import { buyAnswer } from '../process/buy-answer.ts'
import { chargedCredits } from '../process/costs.ts'
import { findReceipt } from '../process/find-receipt.ts'
import type { Purchase } from '../process/purchase.ts'
import type { ReadDocument } from '../process/read-once.ts'
import { retryingStore } from '../process/retrying-store.ts'
import type { Work } from '../process/work.ts'

/** Tries of a page that the service fails on, before the page counts as failed. */
const MOST_TRIES = 3

/** What is bought: a page that was cut out, or a document as a whole. */
export interface Bought {
  readonly key: SourceKey
  readonly version: Version
  readonly read: ReadDocument
  /** Default: pdf. */
  readonly extension?: Extension
  /** Pages of a PDF, where they are known; default 1. */
  readonly pages?: number | null
}

export interface PageAnswer {
  readonly kind: 'answer'
  readonly reading: AnswerReading
  /** Charged now; 0 where a receipt was there. */
  readonly credits: number
}

export interface UnboughtPage {
  readonly kind: 'failed'
  readonly failure: Failure
}

/** The run was halted: a key that is refused, credits or a budget that are used up. */
export class AuditHalted extends Error {
  override name = 'AuditHalted' as const
}

/** The recipe that names receipts: of a document that is routed by page, another than its own. */
export const answersRecipe = (recipe: Recipe): Recipe => recipe.answers ?? recipe

/**
 * The recipe under which the same bytes are bought once more, on purpose. `what` distinguishes one such purchase from another: its
 * receipt is found again after a crash, and never taken for that of the page.
 */
export function boughtAgain(recipe: Recipe, what: string): Recipe {
  const digest = createHash('sha256').update(`${recipe.hash}\0bought again\0${what}`).digest('hex')
  return { ...recipe, hash: recipeHash(digest.slice(0, 16)) }
}

/**
 * The answer of a parser for one page: from its receipt, else bought through the gate and under every cap, with its intent
 * written first and its receipt kept, as any document. The embedded engine's way costs nothing (`onLocalTier`).
 */
export async function buyPage(
  { key, version, read, extension = 'pdf', pages = 1 }: Bought,
  recipe: Recipe,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<PageAnswer | UnboughtPage> {
  using hold = deps.answerMemory.hold()
  const own = ownDeps(deps, key, pages, signal)
  const { zeroDataRetention } = recipe.options
  const kept = zeroDataRetention ? null : await findReceipt(read.contentHash, recipe.hash, deps, { hold, signal })
  if (kept !== null) return { kind: 'answer', reading: readAnswer(kept.body, deps.clock.wall()), credits: 0 }
  const id = receiptId(read.contentHash, recipe.hash)
  for (let attempt = 1; ; attempt += 1) {
    const work = workOf({ key, version, read, extension, recipe, hold, attempt }, deps)
    const purchase = await purchased(work, id, own, signal)
    switch (purchase.kind) {
      case 'bought': {
        const { body, json, usage } = purchase.answer
        const credits = chargedCredits(usage.credits, { recipe, extension, pages }, deps)
        return { kind: 'answer', reading: readAnswer(body, deps.clock.wall(), json), credits }
      }
      case 'kept':
        return { kind: 'answer', reading: readAnswer(purchase.receipt.body, deps.clock.wall()), credits: 0 }
      case 'failed':
        if (purchase.countsUntil === 'final' || attempt >= MOST_TRIES)
          return { kind: 'failed', failure: purchase.failure }
        await deps.clock.sleep(backoffMs(attempt, purchase.retryAfterMs, deps.random), signal)
        break
      default:
        assertNever(purchase)
    }
  }
}

/** Waits here where the gate sends a document back to the queue: a page has no job. */
async function purchased(
  work: Work,
  id: ReturnType<typeof receiptId>,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<Exclude<Purchase, { kind: 'later' }>> {
  for (;;) {
    const unready = await deps.parser.ready(signal)
    if (unready !== null) throw new AuditHalted(unready)
    const purchase = await buyAnswer(work, id, deps, signal)
    if (purchase.kind !== 'later') return purchase
    if (purchase.suspected !== undefined) {
      return { kind: 'failed', failure: purchase.suspected, countsUntil: 'final', retryAfterMs: null }
    }
    if (purchase.verdict.kind === 'postpone') await deps.clock.sleep(purchase.verdict.afterMs, signal)
  }
}

/** A halt ends the audit with its message; what was bought until then has its receipts. */
function ownDeps(deps: IngestDeps, key: SourceKey, pages: number | null, signal: AbortSignal): IngestDeps {
  const halt = (_: unknown, message: string): never => {
    throw new AuditHalted(message)
  }
  const store = retryingStore(deps.store, key, { ...deps, halt }, signal)
  return { ...deps, countPages: async () => pages, halt, store }
}

function workOf(
  {
    key,
    version,
    read,
    extension,
    recipe,
    hold,
    attempt,
  }: Pick<Work, 'attempt' | 'version' | 'read' | 'extension' | 'recipe' | 'hold'> & Pick<Bought, 'key'>,
  deps: IngestDeps,
): Work {
  const job = {
    schema: 1,
    key,
    version,
    recipeHash: recipe.hash,
    bytes: read.bytes,
    queuedAt: deps.clock.shared(),
  } as const
  return {
    job,
    attempt,
    // No record is committed, so no other worker has to be kept from it; the intent fences the purchase.
    claim: { number: { epoch: 0, number: 0 }, stillHeld: async () => true, release: async () => undefined },
    startedAt: deps.clock.wall(),
    begunMs: deps.clock.monotonic(),
    version,
    read,
    recipe,
    hold,
    turn: AT_ONCE,
    extension,
    address: null,
  }
}
