import { MAX_ATTEMPTS } from '#src/document/backoff.ts'
import type { Failure } from '#src/document/failure.ts'
import { mostPagesIn } from '#src/contract/timeouts.ts'
import type { Tiers } from '../deps.ts'
import type { Purchase } from '../process/purchase.ts'
import type { Work } from '../process/work.ts'
import { boughtBefore } from './bought-before.ts'
import { type BoughtPart, buyPages, type PagesBought } from './buy-pages.ts'
import { answeredWell } from './page-outlook.ts'
import type { ServiceStep } from './service-steps.ts'

export interface Wanted {
  /** Pages below the floor, the worst first. */
  readonly pages: readonly number[]
  /** Pages of the document. */
  readonly counted: number
}

/** Why a page was not bought at a service. */
export interface PageFailure {
  readonly failure: Failure
  /** Index of the service in the order. */
  readonly at: number
}

export interface BoughtInOrder extends Omit<PagesBought, 'failed'> {
  /** Pages that a service gave no answer for and that none answered well, with the last such failure. */
  readonly failed: ReadonlyMap<number, PageFailure>
  readonly hasSent: boolean
}

type NotNow = Extract<Purchase, { kind: 'later' }>

/**
 * Buys the pages at the first service, and at each further one those that the one before failed on or answered below the
 * floor. Limits hold for the first purchase: a page that goes on was counted. What was bought before counts for `buyPages`
 * and not for `buyShare`: it is used, and never bought again.
 */
export async function buyInOrder(
  work: Work,
  wanted: Wanted,
  steps: readonly ServiceStep[],
  tiers: Tiers,
  signal: AbortSignal,
): Promise<BoughtInOrder | NotNow> {
  let parts: readonly BoughtPart[] = []
  const failed = new Map<number, PageFailure>()
  let passing: PagesBought['passing'] = null
  let asked = wanted.pages
  let hasSent = false
  for (const [at, step] of steps.entries()) {
    const before = await boughtBefore(work, asked, step, signal)
    const have = new Set(before.flatMap(({ pages }) => pages))
    const missing = asked.filter((page) => !have.has(page))
    const need = at === 0 ? await granted(missing, have.size, wanted.counted, tiers) : missing
    const bought = await buyHere(work, need, step, tiers, signal)
    if (bought.kind === 'later') return bought
    hasSent ||= need.length > 0
    const here = [...before, ...bought.parts]
    // The later a service, the more its answer counts.
    parts = [...here, ...parts]
    const well = new Set(here.flatMap((part) => answeredWell(part, tiers.terms.qualityFloor)))
    for (const page of well) failed.delete(page)
    for (const [page, failure] of bought.failed) failed.set(page, { failure, at })
    const waits = bought.passing !== null && work.attempt < MAX_ATTEMPTS
    if (waits || at === steps.length - 1) passing = bought.passing
    asked = asked.filter((page) => (have.has(page) || need.includes(page)) && !well.has(page))
    // What may pass is tried again there first.
    if (waits || asked.length === 0) break
  }
  return { kind: 'bought', parts, failed, passing, hasSent }
}

/** What the limits of the document and of the pipeline leave of these pages, which come the worst first. */
async function granted(
  missing: readonly number[],
  before: number,
  counted: number,
  { terms, share }: Tiers,
): Promise<readonly number[]> {
  const most = terms.buyPages === null ? undefined : Math.max(0, terms.buyPages - before)
  const need = missing.slice(0, most)
  if (terms.buyShare >= 1) return need
  return need.slice(0, await share.grant({ counted, wanted: need.length, share: terms.buyShare }))
}

async function buyHere(
  work: Work,
  pages: readonly number[],
  step: ServiceStep,
  { cutter }: Tiers,
  signal: AbortSignal,
): Promise<PagesBought | NotNow> {
  if (pages.length === 0) return { kind: 'bought', parts: [], failed: new Map(), passing: null }
  const inOrder = pages.toSorted((a, b) => a - b)
  return buyPages(work, inOrder, { cutter, most: mostPagesIn(work.recipe.options) }, step, signal)
}
