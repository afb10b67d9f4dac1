import { createHash } from 'node:crypto'
import { extensionOf, type PageGrade } from '@sluice/contract'
import { contentVersion, recipeHash, type SourceKey } from '#src/document/ids.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { AnswerReading } from '#src/client/read-answer.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { agreementOf } from '#src/route/audit/agreement.ts'
import type { SampledAnswer, UnansweredPage } from '#src/route/audit/audit-file.ts'
import { samplePages, type CountedDocument } from '#src/route/audit/sample-pages.ts'
import { predictPage } from '#src/route/predict-page.ts'
import type { DocumentDeps, Tier } from '../document/deps.ts'
import { buyPage, openSinglePages, type SinglePage } from './buy-page.ts'
import { recipeAt } from '../pages/service-answers.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { readOnce } from '../document/read-once.ts'

export interface AuditDeps {
  readonly ingest: DocumentDeps
  /** The service. */
  readonly paid: Tier
  /** The embedded engine. */
  readonly local: Tier
  readonly cutter: PieceCutter
  /** Name of the service in the settings; undefined for that of the pipeline. */
  readonly service?: string | undefined
}

export interface AuditOptions {
  readonly sample: number
  /** Buys every n-th page of the sample twice, to measure the service's own variance. */
  readonly twiceEvery: number
  /** Maximum number of concurrent requests; the gate may allow fewer. */
  readonly atOnce: number
  /** Reproducible random numbers from 0 to below 1. */
  readonly next: () => number
}

export type PageResult =
  | ({ readonly kind: 'answered' } & SampledAnswer)
  | ({ readonly kind: 'unanswered' } & UnansweredPage)

/**
 * Parses a sample of single pages with the embedded engine, buys the same pages, and compares both. Documents in order
 * of keys.
 */
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
  const opened = await ingest.stores.source.open(key, signal)
  if ('message' in opened || extension === null) return nothing('message' in opened ? opened.message : 'no document')
  await using document = opened
  const pageNumbers = wanted.map(({ pageNumber }) => pageNumber)
  const cut = await openSinglePages(key, document, { pageNumbers, totalPages }, cutter, signal)
  if ('message' in cut) return nothing(cut.message)
  await using pages = cut
  const own = ingest.policy.recipeFor(key, extension)
  // A document routed by page has a separate recipe for the ids of receipts.
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
  deps: AuditDeps,
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
  const bought = (tier: Tier, of = recipe) => buyPage({ ...page, tier }, of, deps.ingest, signal)
  const converted = await bought(deps.local)
  if (converted.kind === 'failed') return unanswered('local', converted.failure.message)
  const own = converted.reading
  const paid = await bought(deps.paid)
  if (paid.kind === 'failed') return unanswered('service', paid.failure.message)
  const again = twice ? await bought(deps.paid, secondPurchaseRecipe(recipe)) : null
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

/** Without a grade, no evidence supports the local answer. */
function predictionOf(
  { extensions }: AnswerReading,
  graded: PageGrade | null,
): Pick<SampledAnswer, 'badProbability' | 'expectedQuality'> {
  if (extensions === null || graded === null) return { badProbability: 1, expectedQuality: 0 }
  const { badProbability, expectedQuality } = predictPage(graded, extensions.engine)
  return { badProbability, expectedQuality }
}

/**
 * Recipe for the second purchase of a page. Its receipt is found again after a crash, and never counts as that of the
 * page.
 */
function secondPurchaseRecipe(recipe: Recipe): Recipe {
  const digest = createHash('sha256').update(`${recipe.hash}\0bought again\0audit`).digest('hex')
  return { ...recipe, hash: recipeHash(digest.slice(0, 16)) }
}

/** The PDFs of a source with their pages, and counts of its other documents. */
export interface CountedSource {
  readonly documents: readonly CountedDocument[]
  /** Sum of their pages. */
  readonly pages: number
  /** Number of documents of other formats. */
  readonly others: number
  /** Number of documents that must not leave this machine. */
  readonly staying: number
  /** Number of PDFs with an unknown page count: encrypted, damaged, gone. */
  readonly uncounted: number
}

/** Number of documents counted concurrently. */
const COUNTED_AT_ONCE = 4

/**
 * Counts the pages of every PDF of a source: from its record for this version, else from its bytes. Calls `onCounted`
 * with the number of documents read up to now.
 */
export async function countSource(
  deps: Pick<AuditDeps, 'ingest' | 'paid'>,
  onCounted: (documents: number) => void,
  signal: AbortSignal,
): Promise<CountedSource> {
  const documents: CountedDocument[] = []
  const counts = { none: 0, other: 0, stays: 0, unknown: 0 }
  let inspected = 0
  const list = deps.ingest.stores.source.list(signal)
  for await (const { key, pages } of mapInOrder(list, COUNTED_AT_ONCE, (item) => countItem(item, deps, signal))) {
    if (typeof pages === 'number') documents.push({ key, pages })
    else counts[pages] += 1
    inspected += 1
    onCounted(inspected)
  }
  const { other: others, stays: staying, unknown: uncounted } = counts
  return { documents, others, staying, uncounted, pages: documents.reduce((sum, { pages }) => sum + pages, 0) }
}

interface Counted {
  readonly key: SourceKey
  /** `none`: not a document. */
  readonly pages: number | 'other' | 'stays' | 'unknown' | 'none'
}

async function countItem(
  item: SourceItem,
  { ingest: { stores, policy }, paid: { countPages } }: Pick<AuditDeps, 'ingest' | 'paid'>,
  signal: AbortSignal,
): Promise<Counted> {
  const { key } = item
  const { source, documents } = stores
  const extension = extensionOf(key)
  if (item.kind !== 'document' || extension === null) return { key, pages: 'none' }
  if (policy.mustStay(key)) return { key, pages: 'stays' }
  if (extension !== 'pdf' || source.addressOf?.(key) !== undefined) return { key, pages: 'other' }
  const record = await documents.read(key)
  const known =
    record !== null && contentVersion(record.version) === contentVersion(item.version)
      ? (record.pages.total ?? record.pages.parsed)
      : null
  if (known !== null && known > 0) return { key, pages: known }
  const opened = await source.open(key, signal)
  if ('message' in opened) return { key, pages: 'unknown' }
  await using document = opened
  const pages = await countPages(await readOnce(document, signal), extension, signal)
  return { key, pages: pages === null || pages === 0 ? 'unknown' : pages }
}
