import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contentHash as contentOf, receiptId, sourceKey } from '#src/document/ids.ts'
import { partHash } from '#src/document/page-list.ts'
import { receiptsOf } from '#src/document/record.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { mismatchReason } from '#src/ingest/document/disagreement.ts'
import { rederive } from '#src/ingest/document/rederive.ts'
import { FreeIntents } from '#src/ingest/document/tiers.ts'
import { recipeAt } from '#src/ingest/pages/service-answers.ts'
import { verifyStore } from '#src/ingest/maintain/verify-store.ts'
import type { RedisIntents } from '#src/ledger/redis-intents.ts'
import { collect } from '../../support/documents.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { Random } from '../../support/random.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { openRoutedBench, pagesInFile, type RoutedBench } from '../../support/routed-bench.ts'
import { errorReply, type ReceivedRequest, type Reply } from '../../support/scripted-service.ts'
import { ingestOnce } from '../../support/workbench.ts'
import { seedFrom } from '../../support/seed.ts'
import { startTestRedis } from '../../support/redis.ts'
import { shared } from '../../support/shared.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { parseLines } from '../../support/json-lines.ts'

/* Documents drawn at random, cut by the real cutter, sent over real HTTP to an engine and a service that are scripted. */

const SEED = seedFrom('ROUTE_SEED', 1)
const DOCUMENTS = Number(process.env['ROUTE_DOCUMENTS'] ?? 4)
const MAX_PAGES = 24
const never = new AbortController().signal

const redis = await shared(startTestRedis())
const folder = await shared(tempFolder())

const truth = (page: number): string => `Truth of page ${page}.`
const local = (page: number): string => `L0cal reading of page ${page}.`

interface Drawn {
  /** Grade of each page. */
  readonly grades: readonly number[]
  /** Pages that the service refuses for good. */
  readonly poison: ReadonlySet<number>
  /** Pages that the service answers with a 500, whenever they are sent. */
  readonly broken: ReadonlySet<number>
  /** Pages of which the service finds no text. */
  readonly blank: ReadonlySet<number>
}

function draw(random: Random): Drawn {
  const pages = 1 + random.below(MAX_PAGES)
  const some = (share: number): Set<number> =>
    new Set(Array.from({ length: pages }, (_, index) => index + 1).filter(() => random.next() < share))
  const share = random.next()
  const grades = Array.from({ length: pages }, () =>
    random.next() < share ? random.next() * 0.89 : 0.91 + random.next() * 0.09,
  )
  return { grades, poison: some(0.06), broken: some(0.03), blank: some(0.03) }
}

async function pdfWith(pages: number): Promise<Buffer> {
  const path = join(folder.path, `${pages}.pdf`)
  await writeLargePdf(path, { pictures: Array.from({ length: pages }, () => 2000) })
  return readFile(path)
}

/** What the service was paid for, by page. */
class Bought {
  readonly pages = new Map<number, number>()

  answer(request: ReceivedRequest, { poison, broken, blank }: Drawn): Reply {
    const found = pagesInFile(request, MAX_PAGES)
    if (found.some((page) => poison.has(page))) return errorReply(400, 'cannot be read', { code: 'DOCUMENT_CORRUPT' })
    if (found.some((page) => broken.has(page)))
      return errorReply(500, 'all engines failed', { code: 'SCRAPE_ALL_ENGINES_FAILED' })
    for (const page of found) this.pages.set(page, (this.pages.get(page) ?? 0) + 1)
    return answerOf(
      found.map((page) => (blank.has(page) ? '' : truth(page))),
      null,
    )
  }
}

async function openWith(drawn: Drawn, bought: Pick<Bought, 'answer' | 'pages'>, terms = {}): Promise<RoutedBench> {
  const opened = await openRoutedBench({
    redis,
    terms,
    engine: (request) => {
      const found = pagesInFile(request, MAX_PAGES)
      return answerOf(
        found.map(local),
        found.map((page) => drawn.grades[page - 1] ?? 0),
      )
    },
    paid: (request) => bought.answer(request, drawn),
  })
  await opened.bench.write('a.pdf', await pdfWith(drawn.grades.length))
  return opened
}

const key = sourceKey('a.pdf')

async function pagesOf({ deps }: RoutedBench): Promise<readonly string[]> {
  const file = String((await deps.store.documents.readOutput(key, 'pages.jsonl')) ?? '')
  return parseLines<{ markdown: string }>(file).map(({ markdown }) => markdown)
}

describe('with purchases by page,', () => {
  for (let number = 0; number < DOCUMENTS; number += 1) {
    test(`each page below the floor is bought once, whatever fails (seed ${SEED + number})`, async () => {
      const drawn = draw(new Random(SEED + number))
      const { grades, poison, broken, blank } = drawn
      const bought = new Bought()
      await using routed = await openWith(drawn, bought)
      await routed.ingestToEnd('a.pdf')
      const all = grades.map((_, index) => index + 1)
      const wanted = all.filter((page) => (grades[page - 1] ?? 1) < 0.9)
      const failing = wanted.filter((page) => poison.has(page) || broken.has(page))
      const paid = wanted.filter((page) => !failing.includes(page))
      const used = paid.filter((page) => !blank.has(page))

      expect([...bought.pages].toSorted(([a], [b]) => a - b)).toEqual(paid.map((page) => [page, 1]))
      expect(await pagesOf(routed)).toEqual(all.map((page) => (used.includes(page) ? truth(page) : local(page))))
      const record = await routed.deps.store.documents.read(key)
      if (record === null) throw new Error('there is no record')
      expect(record.route?.pages.map(({ page, parser }) => [page, parser])).toEqual(
        all.map((page) => [page, used.includes(page) ? 'service' : 'embedded']),
      )
      expect(record.route?.pages.flatMap(({ page, reason }) => (reason === 'service-failed' ? [page] : []))).toEqual(
        wanted.filter((page) => !used.includes(page)),
      )
      expect(record.outcome).toBe(used.length === wanted.length ? 'done' : 'partial')
      // What an attempt paid that failed for another page is on the bill of the last one.
      expect(record.cost.credits).toBe(paid.length)
      const reasons = record.route?.pages.flatMap(({ page, reason }) => (used.includes(page) ? [reason] : []))
      expect(new Set(reasons)).toEqual(new Set(used.length > 0 ? ['bought'] : []))
      expect(routed.bench.halts).toEqual([])

      // Rendering and checking the store take nothing but the receipts.
      expect(await rederive(record, routed.deps)).toEqual({ kind: 'same' })
      for (const receipt of receiptsOf(record)) expect(receipt).not.toBeNull()
      expect(await collect(unusedReceipts(routed.deps.store, never))).toEqual([])
      const findings = await collect(verifyStore(routed.deps, { repair: false, removeOrphans: false }, never))
      expect(findings.map(({ kind }) => kind)).toEqual(['whole'])

      // The same bytes under another name, and the same document without its record, cost nothing.
      await routed.deps.store.documents.remove(key)
      await routed.bench.write('b.pdf', await pdfWith(grades.length))
      await routed.ingestToEnd('b.pdf')
      await routed.ingestToEnd('a.pdf')
      expect([...bought.pages.values()].every((times) => times === 1)).toBe(true)
      expect(await pagesOf(routed)).toEqual(all.map((page) => (used.includes(page) ? truth(page) : local(page))))
      expect((await routed.deps.store.documents.read(key))?.cost.basis).toBe('saved')
    }, 240_000)
  }

  test('a record whose content hash differs from that of its pages is reported as a disagreement', async () => {
    const none = new Set<number>()
    await using routed = await openWith({ grades: [0.2, 1], poison: none, broken: none, blank: none }, new Bought())
    await routed.ingestToEnd('a.pdf')
    const record = await routed.deps.store.documents.read(key)
    const [known] = await routed.deps.ledger.read([key])
    if (record === null || !known) throw new Error('it is not done')
    expect(mismatchReason(record, known)).toBeNull()
    const altered = { ...record, contentHash: contentOf('f'.repeat(64)) }
    expect(mismatchReason(altered, known)).toMatch(/another content hash/)
  }, 240_000)

  test('an answer that version 0.2.0 named by recipe and service is not bought again', async () => {
    const drawn = { grades: [0.2, 1], poison: new Set<number>(), broken: new Set<number>(), blank: new Set<number>() }
    const bought = new Bought()
    await using routed = await openWith(drawn, bought)
    const { store, recipeFor } = routed.deps
    const { body } = answerOf([truth(1)], null)
    const content = contentOf(
      createHash('sha256')
        .update(await pdfWith(2))
        .digest('hex'),
    )
    const { hash } = recipeAt(recipeFor(key, 'pdf').answers ?? recipeFor(key, 'pdf'), 'default')
    const facts = { class: 'service', origin: 'http://127.0.0.1:9', version: null, at: null } as const
    await store.receipts.save(
      receiptId(partHash(content, [1]), hash, 'service'),
      Buffer.from(JSON.stringify(body)),
      facts,
    )
    await routed.ingestToEnd('a.pdf')
    expect(bought.pages.size).toBe(0)
    expect(await pagesOf(routed)).toEqual([truth(1), local(2)])
  }, 240_000)

  test('a higher floor buys only the additional pages', async () => {
    const drawn = {
      ...draw(new Random(1)),
      grades: [0.2, 0.95, 0.6, 0.99],
      poison: new Set<number>(),
      broken: new Set<number>(),
      blank: new Set<number>(),
    }
    const bought = new Bought()
    await using low = await openWith(drawn, bought, { qualityFloor: 0.5 })
    await low.ingestToEnd('a.pdf')
    expect([...bought.pages.keys()]).toEqual([1])
    await using high = await openWith(drawn, bought, { qualityFloor: 0.97 })
    const deps = { ...high.deps, store: low.deps.store }
    await ingestOnce(deps, 'a.pdf', 1)
    expect([...bought.pages].toSorted(([a], [b]) => a - b)).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ])
  })

  test('a kill between a receipt and the end of its intent leaves no ambiguous request', async () => {
    await using routed = await openRoutedBench({
      redis,
      engine: ({ file }) =>
        file?.content?.toString() === 'hard'
          ? errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' })
          : answerOf(['easy'], null),
      paid: () => answerOf(['whole'], null),
    })
    const { store, recipeFor } = routed.deps
    const intents = routed.deps.intents as RedisIntents
    for (const [content, left] of [
      ['easy', new FreeIntents(intents)],
      ['hard', intents],
    ] as const) {
      const name = sourceKey(`${content}.html`)
      await routed.bench.write(name, content)
      await routed.ingestToEnd(name)
      const record = await store.documents.read(name)
      const { answers } = recipeFor(name, 'html')
      const { contentHash } = record ?? { contentHash: null }
      if (contentHash === null || answers === undefined) throw new Error('it was not routed')
      // As a killed process leaves them: a receipt, an intent, no record.
      await left.begin(receiptId(contentHash, answers.hash), name)
      await store.documents.remove(name)
      await routed.ingestToEnd(name)
      expect([await intents.list(), await intents.ambiguousTotal()]).toEqual([[], 0])
    }
  })

  test('a copy that waited while a failed list was halved buys none of its pages again', async () => {
    const bought = new Bought()
    const drawn: Drawn = { grades: [0.1, 0.2, 0.3, 0.4], poison: new Set(), broken: new Set(), blank: new Set() }
    let isFirst = true
    await using routed = await openWith(drawn, {
      pages: bought.pages,
      answer: (request) => {
        if (!isFirst) return bought.answer(request, drawn)
        isFirst = false
        return { ...errorReply(400, 'cannot be read', { code: 'DOCUMENT_CORRUPT' }), delayMs: 1_500 }
      },
    })
    await routed.bench.write('b.pdf', await pdfWith(drawn.grades.length))
    await Promise.all([routed.ingestToEnd('a.pdf'), routed.ingestToEnd('b.pdf')])
    expect([...bought.pages].toSorted(([a], [b]) => a - b)).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ])
    for (const name of ['a.pdf', 'b.pdf']) {
      const record = await routed.deps.store.documents.read(sourceKey(name))
      expect(record?.route?.pages.map(({ parser }) => parser)).toEqual(Array(4).fill('service'))
    }
  }, 240_000)

  test('limits buy the worst pages first, and the others keep the reading of the engine', async () => {
    const drawn: Drawn = { grades: [0.8, 0.1, 0.7, 0.3, 0.99], poison: new Set(), broken: new Set(), blank: new Set() }
    const byPages = new Bought()
    await using few = await openWith(drawn, byPages, { buyPages: 2 })
    await few.ingestToEnd('a.pdf')
    expect([...byPages.pages.keys()].toSorted((a, b) => a - b)).toEqual([2, 4])
    const record = await few.deps.store.documents.read(key)
    expect(record?.outcome).toBe('done')
    expect(record?.route?.pages.map(({ reason }) => reason)).toEqual([
      'over-limit',
      'bought',
      'over-limit',
      'bought',
      'good',
    ])

    const byShare = new Bought()
    await using share = await openWith(drawn, byShare, { buyShare: 0.2 })
    await share.ingestToEnd('a.pdf')
    expect([...byShare.pages.keys()]).toEqual([2])
  })

  test('a document of another format is bought entirely when the engine read it partly or not at all', async () => {
    const bought: string[] = []
    const problem = { success: true, data: { markdown: 'half', warning: 'the rest is missing', metadata: {} } }
    await using routed = await openRoutedBench({
      redis,
      engine: ({ file }) => {
        const content = file?.content?.toString() ?? ''
        if (content.includes('broken')) return errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' })
        return content.includes('hard') ? { body: problem } : answerOf(['easy'], null)
      },
      paid: ({ file }) => {
        bought.push(
          createHash('sha256')
            .update(file?.content ?? '')
            .digest('hex'),
        )
        return answerOf(['whole'], null)
      },
    })
    for (const [name, content] of [
      ['easy', 'easy'],
      ['hard', 'hard'],
      ['broken', 'broken'],
    ] as const) {
      await routed.bench.write(`${name}.html`, content)
      await routed.ingestToEnd(`${name}.html`)
      await routed.ingestToEnd(`${name}.html`)
    }
    expect(bought).toHaveLength(2)
    const parsers = await Promise.all(
      ['easy', 'hard', 'broken'].map(async (name) => {
        const record = await routed.deps.store.documents.read(sourceKey(`${name}.html`))
        return [record?.parser?.class, record?.route?.whole]
      }),
    )
    expect(parsers).toEqual([
      ['embedded', 'good'],
      ['service', 'below-floor'],
      ['service', 'local-failed'],
    ])
  })
})
