import type { AnswerReading } from '#src/contract/read-answer.ts'
import { mostPagesIn } from '#src/contract/timeouts.ts'
import type { ComparedPage } from '#src/document/record.ts'
import { agreementOf } from '#src/route/audit/agreement.ts'
import { drawnPages, SAME_TEXT } from '#src/route/audit/kept-pages.ts'
import { predictPage } from '#src/route/predict-page.ts'
import type { Tiers } from '../deps.ts'
import { marksPages } from '../process/stitch-answers.ts'
import type { Work } from '../process/work.ts'
import { boughtBefore } from './bought-before.ts'
import { type BoughtPart, buyPages } from './buy-pages.ts'
import { mergePages } from './merge-pages.ts'
import type { ServiceStep } from './service-steps.ts'

export interface Compared {
  readonly pages: readonly ComparedPage[]
  readonly parts: readonly BoughtPart[]
  readonly hasSent: boolean
}

const NOT_COMPARED: Compared = { pages: [], parts: [], hasSent: false }

/**
 * The continuous audit: a few of the pages that keep the engine's reading are bought all the same and compared. The
 * document does not depend on it: where the service fails, is down, or a cap is reached, they are not compared.
 */
export async function compareKept(
  work: Work,
  kept: readonly number[],
  local: AnswerReading,
  step: ServiceStep,
  { auditShare, cutter }: Tiers,
  signal: AbortSignal,
): Promise<Compared> {
  const { options, canonical } = work.recipe
  const drawn = options.zeroDataRetention ? [] : drawnPages(work.read.contentHash, kept, auditShare)
  if (drawn.length === 0) return NOT_COMPARED
  const before = await boughtBefore(work, drawn, step, signal)
  const have = new Set(before.flatMap(({ pages }) => pages))
  const need = drawn.filter((page) => !have.has(page))
  const patient = { ...step, deps: { ...step.deps, leavesWhenDown: true, halt: () => undefined } }
  const most = mostPagesIn(options)
  const bought = need.length === 0 ? null : await buyPages(work, need, { cutter, most }, patient, signal)
  const parts = [...before, ...(bought?.kind === 'bought' ? bought.parts : [])]
  const merged = mergePages(local, parts, { pageMarkers: marksPages(canonical) }, step.deps.clock.wall())
  const texts = (reading: AnswerReading): ReadonlyMap<number, string> =>
    new Map(reading.data.pages?.map(({ pageNumber, markdown }) => [pageNumber, markdown]))
  const [own, paid, risks] = [texts(local), texts(merged.reading), risksOf(local)]
  const pages = drawn.flatMap((page): ComparedPage[] => {
    const part = parts[merged.from.get(page) ?? -1]
    if (part === undefined) return []
    const agreement = Math.round(agreementOf(own.get(page) ?? '', paid.get(page) ?? '').text * 1e4) / 1e4
    const credits = part.cost.credits / part.pages.length
    return [{ page, agreement, risk: risks.get(page) ?? 0, credits }]
  })
  emit(work, pages, have, step)
  return { pages, parts, hasSent: need.length > 0 }
}

/** What was there already was counted when it was bought. */
function emit(
  { job: { key } }: Work,
  pages: readonly ComparedPage[],
  have: ReadonlySet<number>,
  step: ServiceStep,
): void {
  const fresh = pages.filter(({ page }) => !have.has(page))
  if (fresh.length === 0) return
  step.deps.events.emit('pages:compared', {
    key,
    pages: fresh.length,
    different: fresh.filter(({ agreement }) => agreement < SAME_TEXT).length,
    expected: fresh.reduce((sum, { risk }) => sum + risk, 0),
  })
}

/** The probability that a page is bad, as the predictor has it. */
function risksOf({ extensions }: AnswerReading): ReadonlyMap<number, number> {
  const engine = extensions?.engine ?? 'unknown'
  return new Map(extensions?.pageGrades?.map((page) => [page.pageNumber, predictPage(page, engine).badProbability]))
}
