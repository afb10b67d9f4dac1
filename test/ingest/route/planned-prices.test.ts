import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ParseOptionsInput } from '#src/contract/options.ts'
import { DEFAULT_SERVICE, recipeBook, type ServiceOrder } from '#src/contract/rules.ts'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import { type PlanDeps, type PlannedItem, planSource } from '#src/ingest/scan/plan-source.ts'
import { routedRecipe } from '#src/route/routed-recipe.ts'
import { termsFor } from '#src/route/route-terms.ts'
import { addPolicies, NO_POLICIES, policyPrices } from '#src/cli/plan-policies.ts'
import { collect } from '../../support/documents.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { openRoutedBench, pagesInFile, type RoutedBench } from '../../support/routed-bench.ts'
import { errorReply, type ReceivedRequest, type Reply } from '../../support/scripted-service.ts'
import { redisAndFolder } from '../../support/redis-and-folder.ts'

/* What a plan says after a local pass, beside what a run is then charged: engine and services are scripted, and count pages. */

const PAGES = 8
const BAD: readonly number[] = [2, 3, 7]
const key = sourceKey('some.pdf')
const never = new AbortController().signal
const shared = redisAndFolder()

interface Case {
  readonly options?: ParseOptionsInput
  readonly order?: ServiceOrder
  /** What the first service expects of its own answers. */
  readonly firstGrade?: number
  readonly cutter?: PdfCutter
  readonly buyPages?: number
  readonly buyShare?: number
  /** Pages of documents that were read before, and of which none was bought. */
  readonly earlierPages?: number
}

/** Reads the document locally, plans it, and has it bought: what was planned for quality 0.9, and what was charged. */
async function planAndBuy(drawn: Case): Promise<{
  readonly planned: PlannedItem | undefined
  readonly charged: number
}> {
  const { options = {}, order, firstGrade = 1, cutter, buyPages, buyShare = 1, earlierPages = 0 } = drawn
  let charged = 0
  const answerWith =
    (gradeOf: (page: number) => number, isPaid: boolean) =>
    (request: ReceivedRequest): Reply => {
      const found = pagesInFile(request, PAGES)
      if (isPaid) charged += found.length
      return answerOf(
        found.map((page) => `Page ${page}.`),
        found.map(gradeOf),
      )
    }
  const paid = answerWith(() => firstGrade, true)
  const open = (qualityFloor: number): Promise<RoutedBench> =>
    openRoutedBench({
      redis: shared.redis,
      terms: { qualityFloor, buyPages: buyPages ?? null, buyShare },
      engine: answerWith((page) => (BAD.includes(page) ? 0.2 : 1), false),
      paid,
      ...(order === undefined ? {} : { second: { answers: answerWith(() => 1, true), order } }),
    })
  const path = join(shared.folder.path, 'some.pdf')
  await writeLargePdf(path, { pictures: Array.from({ length: PAGES }, () => 60_000) })
  const bytes = await readFile(path)
  const depsOf = ({ deps }: RoutedBench): IngestDeps => {
    const terms = termsFor(deps.tiers?.terms ?? { qualityFloor: 0, buyShare: 1, buyPages: null }, order?.names ?? [])
    const book = recipeBook({ options })
    const routed = { ...deps, recipeFor: (at: typeof key) => routedRecipe(book(at, 'pdf'), terms) }
    return cutter === undefined ? routed : { ...routed, cutter }
  }
  await using local = await open(0)
  await local.bench.write(key, bytes)
  await local.ingestToEnd(key, depsOf(local))
  await using paying = await open(0.9)
  await paying.bench.write(key, bytes)
  const deps = { ...depsOf(paying), store: local.deps.store }
  const plan: PlanDeps = {
    ...deps,
    ...pricesOf(deps, order),
    buyPages,
    buyShare,
    checksum: false,
    isOutdated: () => false,
  }
  const [planned] = await collect(planSource({ ...plan, countPages: async () => PAGES }, never))
  expect(charged).toBe(0)
  await deps.tiers?.share.grant({ counted: earlierPages, wanted: 0, share: buyShare })
  await paying.ingestToEnd(key, deps)
  return { planned, charged }
}

/** Each service has the price of the workbench: a credit a page. */
const pricesOf = ({ price }: IngestDeps, order?: ServiceOrder): Pick<PlanDeps, 'servicePrices'> =>
  order === undefined ? {} : { servicePrices: () => order.names.map(() => price) }

const priceOf = (item: PlannedItem | undefined): unknown => item?.localFirst?.find(({ quality }) => quality === 0.9)

const bad = BAD.length

test('pages that one service reads are planned as they are charged', async () => {
  const { planned, charged } = await planAndBuy({})
  expect(charged).toBe(bad)
  expect(priceOf(planned)).toEqual({ quality: 0.9, pages: bad, credits: bad, mostCredits: bad })
  expect(planned).toMatchObject({ credits: PAGES, leastCredits: PAGES, stays: false })
}, 60_000)

test.each([
  ['the first one answers well', 1, bad],
  ['the first one falls short of every page', 0.3, 2 * bad],
])(
  'pages that go through an order are planned from what the first service charges to what all do: %s',
  async (_, firstGrade, expected) => {
    const order: ServiceOrder = { names: [DEFAULT_SERVICE, 'second'], whenDown: 'wait' }
    const { planned, charged } = await planAndBuy({ order, firstGrade })
    expect(charged).toBe(expected)
    expect(priceOf(planned)).toEqual({ quality: 0.9, pages: bad, credits: bad, mostCredits: 2 * bad })
    expect(planned).toMatchObject({ credits: 2 * PAGES, leastCredits: PAGES })
  },
  60_000,
)

test('a document whose answer belongs to no single page is planned as a whole where one of its pages is below the floor', async () => {
  const { planned, charged } = await planAndBuy({ options: { formats: ['markdown', 'summary'] } })
  expect(charged).toBe(PAGES)
  expect(priceOf(planned)).toEqual({ quality: 0.9, pages: PAGES, credits: PAGES, mostCredits: PAGES })
}, 60_000)

test('pages of a document over the limit of the service are planned as they are charged', async () => {
  const cutter = new PdfCutter({ limitBytes: 250_000 })
  const { planned, charged } = await planAndBuy({ cutter })
  expect(charged).toBe(bad)
  expect(planned?.requests).toBeGreaterThan(1)
  expect(priceOf(planned)).toEqual({ quality: 0.9, pages: bad, credits: bad, mostCredits: bad })
  const whole = await planAndBuy({ cutter: new PdfCutter({ limitBytes: 250_000 }), options: { formats: ['summary'] } })
  expect(whole.charged).toBe(PAGES)
  expect(priceOf(whole.planned)).toEqual({ quality: 0.9, pages: PAGES, credits: PAGES, mostCredits: PAGES })
}, 120_000)

test('of more pages than one document may buy, as many are planned as may be bought', async () => {
  const { planned, charged } = await planAndBuy({ buyPages: 2 })
  expect(charged).toBe(2)
  expect(priceOf(planned)).toEqual({ quality: 0.9, pages: 2, credits: 2, mostCredits: 2 })
}, 60_000)

test.each([
  ['alone gets', 0, 2],
  ['gets what earlier ones left', PAGES, bad],
])(
  'under a share of pages a document is planned from what it gets alone to all its pages below: one that %s',
  async (_, earlierPages, expected) => {
    const { planned, charged } = await planAndBuy({ buyShare: 0.25, earlierPages })
    expect(charged).toBe(expected)
    expect(priceOf(planned)).toEqual({ quality: 0.9, pages: bad, credits: 2, mostCredits: bad })
  },
  60_000,
)

test('what must stay on this machine costs nothing under any policy, also where the engine has not read it yet', async () => {
  await using bench = await openRoutedBench({
    redis: shared.redis,
    engine: () => answerOf(['One.'], [0.1]),
    paid: () => answerOf(['One.'], null),
  })
  await bench.bench.write(key, Buffer.from('%PDF-1.4 not read yet'))
  const local = { ...bench.deps.parsers.routes, of: () => 'local' as const, engine: bench.deps.parsers.own }
  const parsers = { ...bench.deps.parsers, routes: { ...local, unmatched: () => [] } }
  const deps = { ...bench.deps, parsers, checksum: false, isOutdated: () => false, countPages: async () => 3 }
  const policies = (await collect(planSource({ ...deps, staysLocal: () => true }, never))).reduce(
    addPolicies,
    NO_POLICIES,
  )
  const prices = policyPrices(policies, null).map(({ credits }) => credits)
  expect(prices).toEqual(prices.map(() => ({ low: 0, high: 0 })))
  expect(prices).toHaveLength(5)
}, 60_000)

/** A document that the engine alone reads, as a run without a service does; then what a plan says, and what a run is charged. */
async function passAndBuy(
  name: string,
  engine: () => Reply,
): Promise<{ readonly planned: readonly PlannedItem[]; readonly charged: number }> {
  const document = sourceKey(name)
  const bytes = name.endsWith('.pdf') ? Buffer.from('%PDF-1.4 of three pages') : Buffer.from('<p>Some words')
  let charged = 0
  const paid = (): Reply => {
    charged += priceOfWhole(name)
    return answerOf(name.endsWith('.pdf') ? ['One.', 'Two.', 'Three.'] : ['Whole.'], null)
  }
  await using bench = await openRoutedBench({ redis: shared.redis, engine, paid })
  await bench.bench.write(name, bytes)
  const { tiers, parsers } = bench.deps
  if (tiers === undefined) throw new Error('it has no tiers')
  const plain = recipeBook({})
  const pass: IngestDeps = { ...bench.deps, recipeFor: plain, tiers: { ...tiers, routeOf: () => 'local' } }
  await bench.ingestToEnd(name, pass)
  const count: PlanDeps['countPages'] = async (_, extension) => (extension === 'pdf' ? 3 : null)
  const common = { checksum: false, isOutdated: () => false, countPages: count }
  const planOf = (deps: IngestDeps): Promise<readonly PlannedItem[]> =>
    collect(planSource({ ...deps, ...common }, never))
  const byPage = await planOf(bench.deps)
  const { routes: _routes, ...unrouted } = parsers
  const asService = await planOf({ ...bench.deps, parsers: unrouted, recipeFor: plain })
  expect(charged).toBe(0)
  await bench.ingestToEnd(name)
  expect((await bench.deps.store.readRecord(document))?.route?.whole ?? null).not.toBeNull()
  return { planned: [...byPage, ...asService], charged }
}

const priceOfWhole = (name: string): number => (name.endsWith('.pdf') ? 3 : 1)

const localFirstOf = (item: PlannedItem): unknown =>
  policyPrices(addPolicies(NO_POLICIES, item), null).find(({ policy }) => policy.includes('0.9'))?.credits

test.each([
  ['a PDF that the engine refuses', 'some.pdf', () => errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' }), 3],
  ['a page that the engine refuses', 'some.html', () => errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' }), 1],
  [
    'a page of which the engine read a part',
    'some.html',
    () => ({ body: { success: true, data: { markdown: 'half', warning: 'the rest is missing', metadata: {} } } }),
    1,
  ],
  ['a page that the engine read whole', 'some.html', () => answerOf(['Some words'], null), 0],
])(
  '%s is planned after a local pass as it is charged, whichever route the plan is made for',
  async (_, name, engine, expected) => {
    const { planned, charged } = await passAndBuy(name, engine)
    expect(charged).toBe(expected)
    expect(planned.map(localFirstOf)).toEqual(planned.map(() => ({ low: expected, high: expected })))
    expect(planned).toHaveLength(2)
  },
  60_000,
)

test('a document of another format that the engine has not read is planned from nothing to its price as a whole', async () => {
  await using bench = await openRoutedBench({
    redis: shared.redis,
    engine: () => answerOf(['One.'], null),
    paid: () => answerOf(['One.'], null),
  })
  await bench.bench.write('some.html', '<p>Some words')
  const deps = { ...bench.deps, checksum: false, isOutdated: () => false, countPages: async () => null }
  const planned = await collect(planSource(deps, never))
  expect(planned.map(localFirstOf)).toEqual([{ low: 0, high: 1 }])
}, 60_000)

test('with the route local each policy is planned as a run by it is charged, before and after a local pass', async () => {
  let charged = 0
  await using bench = await openRoutedBench({
    redis: shared.redis,
    engine: ({ file }) => {
      const isPdf = file?.content?.includes('%PDF') ?? false
      return isPdf ? answerOf(['One.', 'Two.', 'Three.'], [1, 0.2, 1]) : answerOf(['Whole.'], null)
    },
    paid: ({ file }) => {
      const credits = priceOfWhole(file?.content?.includes('%PDF') ? 'some.pdf' : 'some.html')
      charged += credits
      return answerOf(
        Array.from({ length: credits }, () => 'Paid.'),
        null,
      )
    },
  })
  const names = ['some.pdf', 'copy.pdf', 'some.html']
  for (const name of names)
    await bench.bench.write(name, name.endsWith('.pdf') ? '%PDF-1.4 of three pages' : '<p>Some words')
  const { tiers, parsers, ...rest } = bench.deps
  if (tiers === undefined || parsers.routes === undefined) throw new Error('it has no routes')
  const plain = { ...rest, recipeFor: recipeBook({}) }
  const local: IngestDeps = {
    ...plain,
    parsers: { ...parsers, routes: { ...parsers.routes, of: () => 'local' } },
    tiers: { ...tiers, routeOf: () => 'local' },
  }
  const count: PlanDeps['countPages'] = async (_, extension) => (extension === 'pdf' ? 3 : null)
  const pricesOfPlan = async (): Promise<unknown[]> => {
    const items = await collect(
      planSource({ ...local, checksum: false, isOutdated: () => false, countPages: count }, never),
    )
    expect(items.reduce((sum, { credits }) => sum + credits, 0)).toBe(0)
    const prices = policyPrices(items.reduce(addPolicies, NO_POLICIES), null)
    return prices.filter(({ policy }) => /service|0\.9$/.test(policy)).map(({ credits }) => credits)
  }
  expect(await pricesOfPlan()).toEqual([null, { low: 4, high: 4 }])
  for (const name of names) await bench.ingestToEnd(name, local)
  expect(await pricesOfPlan()).toEqual([
    { low: 1, high: 1 },
    { low: 4, high: 4 },
  ])
  const { routes: _routes, ...unrouted } = parsers
  for (const name of names) await bench.ingestToEnd(name, { ...plain, parsers: unrouted })
  expect(charged).toBe(4)
}, 60_000)
