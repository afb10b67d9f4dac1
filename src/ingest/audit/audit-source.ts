import { createHash } from 'node:crypto'
import { extensionOf } from '#src/document/formats.ts'
import type { PageGrade } from '#src/document/grade.ts'
import { recipeHash, type SourceKey } from '#src/document/ids.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import type { AnswerReading } from '#src/contract/read-answer.ts'
import { mapInOrder } from '#src/document/map-in-order.ts'
import { agreementOf } from '#src/route/audit/agreement.ts'
import type { SampledAnswer, UnansweredPage } from '#src/route/audit/audit-file.ts'
import { samplePages } from '#src/route/audit/sample-pages.ts'
import { predictPage } from '#src/route/predict-page.ts'
import type { IngestDeps, Tier } from '../process/deps.ts'
import { onLocalTier } from '../process/tiers.ts'
import { buyPage, openSinglePages, type SinglePage } from './buy-page.ts'
import type { CountedSource } from './count-pages.ts'
import { recipeAt } from '../route/service-answers.ts'

export interface AuditDeps {
  /** With the service as its parser. */
  readonly ingest: IngestDeps
  /** The embedded engine. */
  readonly local: Tier
  readonly cutter: PieceCutter
  /** The name of the service in the settings; undefined for that of the pipeline. */
  readonly service?: string | undefined
}

export interface AuditOptions {
  readonly sample: number
  /** Every n-th page of the sample is bought twice, which shows how far the service differs from itself. */
  readonly twiceEvery: number
  /** Requests at a time; the gate may let fewer through. */
  readonly atOnce: number
  /** 0 to below 1, repeatable. */
  readonly next: () => number
}

export type PageResult =
  | ({ readonly kind: 'answered' } & SampledAnswer)
  | ({ readonly kind: 'unanswered' } & UnansweredPage)

/** Reads a sample of single pages with the embedded engine, buys the same pages, and compares. Documents in order of keys. */
export async function* auditSource(
  counted: CountedSource,
  { sample, twiceEvery, atOnce, next }: AuditOptions,
  deps: AuditDeps,
  signal: AbortSignal,
): AsyncGenerator<PageResult> {
  const drawn = samplePages(counted.documents, sample, next)
  const totals = new Map(counted.documents.map(({ key, pages }) => [key, pages]))
  let number = 0
  const byDocument = [...Map.groupBy(drawn, ({ key }) => key)].map(([key, pages]) => ({
    key: key as SourceKey,
    totalPages: totals.get(key) ?? 1,
    wanted: pages.map(({ pageNumber }) => ({ pageNumber, twice: number++ % twiceEvery === 0 })),
  }))
  for await (const results of mapInOrder(byDocument, atOnce, (one) => auditDocument(one, deps, signal))) yield* results
}

interface DocumentSample {
  readonly key: SourceKey
  readonly totalPages: number
  readonly wanted: readonly { readonly pageNumber: number; readonly twice: boolean }[]
}

async function auditDocument(
  { key, totalPages, wanted }: DocumentSample,
  deps: AuditDeps,
  signal: AbortSignal,
): Promise<PageResult[]> {
  const { ingest, cutter, service } = deps
  const nothing = (message: string): PageResult[] =>
    wanted.map(({ pageNumber }) => ({ kind: 'unanswered', key, pageNumber, tier: 'source', message }))
  const extension = extensionOf(key)
  const opened = await ingest.source.open(key, signal)
  if ('message' in opened || extension === null) return nothing('message' in opened ? opened.message : 'no document')
  await using document = opened
  const pageNumbers = wanted.map(({ pageNumber }) => pageNumber)
  const cut = await openSinglePages(key, document, { pageNumbers, totalPages }, cutter, signal)
  if ('message' in cut) return nothing(cut.message)
  await using pages = cut
  const own = ingest.recipeFor(key, extension)
  // Of a document that is routed by page, another recipe than its own names receipts.
  const recipe = recipeAt(own.answers ?? own, service)
  const results: PageResult[] = []
  for (const page of pages.pages) {
    const twice = wanted.find(({ pageNumber }) => pageNumber === page.pageNumber)?.twice ?? false
    results.push(await auditPage(page, recipe, twice, deps, signal))
  }
  return results
}

async function auditPage(
  page: SinglePage,
  recipe: Recipe,
  twice: boolean,
  { ingest, local }: AuditDeps,
  signal: AbortSignal,
): Promise<PageResult> {
  const { key, pageNumber } = page
  const unanswered = (tier: UnansweredPage['tier'], message: string): PageResult => ({
    kind: 'unanswered',
    key,
    pageNumber,
    tier,
    message,
  })
  const converted = await buyPage(page, recipe, onLocalTier(ingest, { local }), signal)
  if (converted.kind === 'failed') return unanswered('local', converted.failure.message)
  const own = converted.reading
  const paid = await buyPage(page, recipe, ingest, signal)
  if (paid.kind === 'failed') return unanswered('service', paid.failure.message)
  const again = twice ? await buyPage(page, boughtAgain(recipe), ingest, signal) : null
  const second = again?.kind === 'answer' ? again : null
  const graded = own.extensions?.pageGrades?.[0] ?? null
  return {
    kind: 'answered',
    key,
    pageNumber,
    grade: graded?.grade ?? null,
    ...predictionOf(own, graded),
    agreement: agreementOf(textOf(own), textOf(paid.reading)),
    selfAgreement: second === null ? null : agreementOf(textOf(paid.reading), textOf(second.reading)),
    credits: paid.cost.credits + (second?.cost.credits ?? 0),
  }
}

const textOf = ({ data }: AnswerReading): string => data.markdown ?? ''

/** Without a grade nothing speaks for the local answer. */
function predictionOf(
  { extensions }: AnswerReading,
  graded: PageGrade | null,
): Pick<SampledAnswer, 'badProbability' | 'expectedQuality'> {
  if (extensions === null || graded === null) return { badProbability: 1, expectedQuality: 0 }
  const { badProbability, expectedQuality } = predictPage(graded, extensions.engine)
  return { badProbability, expectedQuality }
}

/**
 * The recipe under which the same page is bought once more, on purpose: its receipt is found again after a crash, and
 * never taken for that of the page.
 */
function boughtAgain(recipe: Recipe): Recipe {
  const digest = createHash('sha256').update(`${recipe.hash}\0bought again\0audit`).digest('hex')
  return { ...recipe, hash: recipeHash(digest.slice(0, 16)) }
}
