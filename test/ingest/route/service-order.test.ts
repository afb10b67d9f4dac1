import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_SERVICE, type ServiceOrder } from '#src/contract/rules.ts'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { rederive } from '#src/ingest/maintain/rederive.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { collect } from '../../support/documents.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { Random } from '../../support/random.ts'
import { openRoutedBench, pagesInFile, type RoutedBench } from '../../support/routed-bench.ts'
import { errorReply, type ReceivedRequest, type Reply } from '../../support/scripted-service.ts'
import { redisAndFolder } from '../../support/redis-and-folder.ts'
import { seedFrom } from '../../support/seed.ts'

/* Pages of documents drawn at random go through two services in an order, over real HTTP, each with a limiter of its own. */

const SEED = seedFrom('ORDER_SEED', 1)
const DOCUMENTS = Number(process.env['ORDER_DOCUMENTS'] ?? 3)
const MOST_PAGES = 12
const IN_ORDER: ServiceOrder = { names: [DEFAULT_SERVICE, 'second'], whenDown: 'wait' }
const never = new AbortController().signal

const shared = redisAndFolder()

async function pdfWith(pages: number): Promise<Buffer> {
  const path = join(shared.folder.path, `${pages}.pdf`)
  await writeLargePdf(path, { pictures: Array.from({ length: pages }, () => 2000) })
  return readFile(path)
}

const RESULTS = ['good', 'low', 'blank', 'poison', 'broken'] as const

/** What a service makes of each page: a grade at or below the floor, no text, a refusal for good, a 500 at each time. */
type Result = (typeof RESULTS)[number]

/** A service that answers pages as was drawn, and its books. */
class Service {
  readonly paid = new Map<number, number>()
  readonly name: string
  readonly results: readonly Result[]

  constructor(name: string, results: readonly Result[]) {
    this.name = name
    this.results = results
  }

  answer(request: ReceivedRequest): Reply {
    const pages = pagesInFile(request, MOST_PAGES)
    const of = (page: number): Result => this.results[page - 1] ?? 'good'
    if (pages.some((page) => of(page) === 'poison')) return errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' })
    if (pages.some((page) => of(page) === 'broken'))
      return errorReply(500, 'all engines failed', { code: 'SCRAPE_ALL_ENGINES_FAILED' })
    for (const page of pages) this.paid.set(page, (this.paid.get(page) ?? 0) + 1)
    return answerOf(
      pages.map((page) => (of(page) === 'blank' ? '' : `${this.name} ${page}.`)),
      pages.map((page) => (of(page) === 'low' ? 0.4 : 0.99)),
    )
  }
}

interface Drawn {
  readonly grades: readonly number[]
  readonly first: Service
  readonly second: Service
}

function draw(seed: number): Drawn {
  const random = new Random(seed)
  const pages = 1 + random.below(MOST_PAGES)
  const results = (): Result[] =>
    Array.from({ length: pages }, () => (random.next() < 0.4 ? 'good' : random.pick([...RESULTS])))
  const grades = Array.from({ length: pages }, () => (random.next() < 0.7 ? 0.3 : 0.95))
  return { grades, first: new Service('first', results()), second: new Service('second', results()) }
}

async function open({ grades, first, second }: Drawn, order: ServiceOrder = IN_ORDER): Promise<RoutedBench> {
  const opened = await openRoutedBench({
    redis: shared.redis,
    engine: (request) => {
      const found = pagesInFile(request, MOST_PAGES)
      return answerOf(
        found.map((page) => `local ${page}.`),
        found.map((page) => grades[page - 1] ?? 0),
      )
    },
    paid: (request) => first.answer(request),
    second: { answers: (request) => second.answer(request), order },
  })
  await opened.bench.write('a.pdf', await pdfWith(grades.length))
  return opened
}

async function outcomeOf({ deps }: RoutedBench, key: SourceKey): Promise<{ pages: string[]; record: DocumentRecord }> {
  const record = await deps.store.readRecord(key)
  const lines = (await deps.store.readOutput(key, 'pages.jsonl'))?.toString().trim().split('\n') ?? []
  if (record === null) throw new Error('there is no record')
  return { record, pages: lines.map((line) => (JSON.parse(line) as { markdown: string }).markdown) }
}

const KEY = sourceKey('a.pdf')

for (let number = 0; number < DOCUMENTS; number += 1) {
  test(`a page goes on to the next service where one fails on it or answers below the floor, and is paid once at each (seed ${SEED + number})`, async () => {
    const drawn = draw(SEED + number)
    const { grades, first, second } = drawn
    await using routed = await open(drawn)
    await routed.ingestToEnd('a.pdf')
    const all = grades.map((_, index) => index + 1)
    const isPaid = (service: Service, page: number): boolean =>
      !['poison', 'broken'].includes(service.results[page - 1] ?? '')
    const wanted = all.filter((page) => (grades[page - 1] ?? 1) < 0.9)
    const onward = wanted.filter((page) => first.results[page - 1] !== 'good')
    const paid = (service: Service, pages: readonly number[]): [number, number][] =>
      pages.filter((page) => isPaid(service, page)).map((page) => [page, 1])
    expect([...first.paid].toSorted(([a], [b]) => a - b)).toEqual(paid(first, wanted))
    expect([...second.paid].toSorted(([a], [b]) => a - b)).toEqual(paid(second, onward))

    const holdsText = (service: Service, page: number): boolean =>
      ['good', 'low'].includes(service.results[page - 1] ?? '')
    const chosen = all.map((page) => {
      if (onward.includes(page) && holdsText(second, page)) return 'second'
      return wanted.includes(page) && holdsText(first, page) ? 'first' : 'local'
    })
    const { pages, record } = await outcomeOf(routed, KEY)
    expect(pages).toEqual(all.map((page) => `${chosen[page - 1]} ${page}.`))
    const names = { first: DEFAULT_SERVICE, second: 'second', local: undefined } as const
    expect(record.route?.pages.map(({ service }) => service)).toEqual(chosen.map((name) => names[name]))
    expect(record.route?.services).toEqual(IN_ORDER.names)
    // A page that the second service answered is whole, whatever the first one said of it.
    const isLeft = (page: number): boolean => {
      const by = chosen[page - 1]
      return (
        wanted.includes(page) && (by === 'local' || (by === 'first' && onward.includes(page) && !isPaid(second, page)))
      )
    }
    expect([record.outcome, record.problems]).toEqual(all.some(isLeft) ? ['partial', expect.anything()] : ['done', []])
    const charged = first.paid.size + second.paid.size
    const booked = record.route?.pages.reduce((sum, { credits }) => sum + credits, 0) ?? 0
    expect(booked).toBeCloseTo(charged)
    expect(record.cost.credits).toBeCloseTo(charged)

    expect(await rederive(record, routed.deps)).toEqual({ kind: 'same' })
    expect(await collect(unusedReceipts(routed.deps.store, never))).toEqual([])

    // Without its record, in the other order and with one service, nothing is bought that this service answered before.
    for (const order of [
      IN_ORDER,
      { ...IN_ORDER, names: IN_ORDER.names.toReversed() },
      { ...IN_ORDER, names: [DEFAULT_SERVICE] },
    ]) {
      await using again = await open(drawn, order)
      const deps = { ...again.deps, store: routed.deps.store }
      await routed.deps.store.remove(KEY)
      await again.ingestToEnd('a.pdf', deps)
      expect([...first.paid.values(), ...second.paid.values()].every((times) => times === 1)).toBe(true)
    }
  }, 240_000)
}

test('a service that is down is left for the next one at once where the rule says so', async () => {
  const drawn: Drawn = {
    grades: [0.2, 0.99, 0.3, 0.1],
    first: new Service('first', ['good', 'good', 'good', 'good']),
    second: new Service('second', ['good', 'good', 'good', 'good']),
  }
  let asked = 0
  const down = {
    ...drawn,
    first: Object.assign(new Service('first', []), {
      answer: () => {
        asked += 1
        return errorReply(503, 'down for maintenance')
      },
    }),
  }
  await using leaving = await open(down, { ...IN_ORDER, whenDown: 'next' })
  const deliveries = await leaving.ingestToEnd('a.pdf')
  expect(deliveries).toBe(1)
  expect(asked).toBe(1)
  expect([...drawn.second.paid.keys()].toSorted((a, b) => a - b)).toEqual([1, 3, 4])
  const { record } = await outcomeOf(leaving, KEY)
  expect(record.outcome).toBe('done')
  expect(record.route?.pages.map(({ service }) => service)).toEqual(['second', undefined, 'second', 'second'])
}, 240_000)

test('a document that is no PDF goes to the next service where the first one fails on it for good', async () => {
  await using routed = await openRoutedBench({
    redis: shared.redis,
    engine: () => errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' }),
    paid: () => errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' }),
    second: { answers: () => answerOf(['whole'], null), order: IN_ORDER },
  })
  await routed.bench.write('a.html', 'a document')
  await routed.ingestToEnd('a.html')
  const record = await routed.deps.store.readRecord(sourceKey('a.html'))
  expect([record?.outcome, record?.parser?.origin]).toEqual(['done', routed.second?.url])
})

test('a page that the first service failed on is whole where the second one answers it, at any quality', async () => {
  const drawn = { grades: [0.3], first: new Service('first', ['poison']), second: new Service('second', ['low']) }
  await using routed = await open(drawn)
  await routed.ingestToEnd('a.pdf')
  const { pages, record } = await outcomeOf(routed, KEY)
  expect([pages, record.outcome, record.problems]).toEqual([['second 1.'], 'done', []])
}, 240_000)

test('what the first service warned of is no problem of pages that the second one answered', async () => {
  await using routed = await openRoutedBench({
    redis: shared.redis,
    engine: (request) => answerOf(namesOf('local', request), [0.3, 0.3]),
    paid: (request) => {
      const { body } = answerOf(namesOf('first', request), [0.4, 0.4])
      const { data } = body as { data: Record<string, unknown> }
      return { body: { success: true, data: { ...data, warning: 'the pages are hard to read' } } }
    },
    second: { answers: (request) => answerOf(namesOf('second', request), [0.99, 0.99]), order: IN_ORDER },
  })
  await routed.bench.write('a.pdf', await pdfWith(2))
  await routed.ingestToEnd('a.pdf')
  const { pages, record } = await outcomeOf(routed, KEY)
  expect([pages, record.outcome, record.problems]).toEqual([['second 1.', 'second 2.'], 'done', []])
  expect(await rederive(record, routed.deps)).toEqual({ kind: 'same' })
}, 240_000)

const namesOf = (service: string, request: ReceivedRequest): string[] =>
  pagesInFile(request, MOST_PAGES).map((page) => `${service} ${page}.`)
