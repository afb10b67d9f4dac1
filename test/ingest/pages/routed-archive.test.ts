import { expect, test } from 'vitest'
import { Random } from '../../support/random.ts'
import { startTestRedis, type TestRedis } from '../../support/redis.ts'
import { seedFrom } from '../../support/seed.ts'
import { shared } from '../../support/shared.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { ENGINE_VERSION } from '@sluice/engine'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { openRoutedBench, pagesInFile } from '../../support/routed-bench.ts'
import { errorReply, type Reply } from '../../support/scripted-service.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { parseLines } from '../../support/json-lines.ts'

/** A page as the engine reads it: what it says of the page, and what the reading is worth against the truth. */
interface ReadPage {
  readonly grade: number
  /** Expected F1, as `data.sluice` has it. */
  readonly expected: number
  /** True F1 of the engine's words. */
  readonly f1: number
}

interface ArchiveDocument {
  /** In page order. */
  readonly pages: readonly ReadPage[]
  /** F1 of the words in each answer of the service. */
  readonly paidQuality: number
  /** Pages, from 1, that the service refuses in any list. */
  readonly failing: ReadonlySet<number>
}

/** What a document came to in the store. */
interface RoutedResult {
  readonly record: DocumentRecord
  /** F1 of each stored page against the truth. */
  readonly quality: readonly number[]
  /** What the service charged: how often each page was in a file that it answered. */
  readonly charged: ReadonlyMap<number, number>
  /** What is wrong with the stored pages, blocks and spans, one sentence each. */
  readonly faults: readonly string[]
}

const WORDS = 50
const MAX_PAGES = 80

/** Words of one page, of which this share is right: the truth has all of them right. */
function wordsOf(document: number, page: number, right: number): string[] {
  const good = Math.round(right * WORDS)
  return Array.from({ length: WORDS }, (_, at) => `${at < good ? 'w' : 'wrong'}${document}p${page}n${at}`)
}

type Parser = 'engine' | 'service'

/** Two boxes for each page and parser, as no other page has them. */
const boxOf = (parser: Parser, page: number, block: number): [number, number, number, number] => {
  const left = page / 200 + (parser === 'engine' ? 0 : 0.45)
  return [left, 0.1 + block * 0.4, left + 0.05, 0.3 + block * 0.4]
}

interface AnsweredPage {
  readonly page: number
  readonly words: readonly string[]
  readonly read?: ReadPage
}

function replyOf(parser: Parser, pages: readonly AnsweredPage[]): Reply {
  let markdown = ''
  const texts = pages.map(({ words }) =>
    [words.slice(0, WORDS / 2), words.slice(WORDS / 2)].map((half) => `The ${half.join(' ')}.`),
  )
  const blocks = texts.map((parts, index) => ({
    pageNumber: index + 1,
    width: 612,
    height: 792,
    status: 'ok',
    items: parts.map((content, block) => {
      if (markdown !== '') markdown += '\n\n'
      const start = markdown.length
      markdown += content
      const bbox = boxOf(parser, pages[index]?.page ?? 0, block)
      const markdownSpan = [start, markdown.length]
      return { id: `p${index + 1}.b${block}`, type: 'text', content, markdownSpan, readingOrder: block, bbox }
    }),
  }))
  const graded = pages.flatMap(({ read }, index) =>
    read === undefined ? [] : [{ pageNumber: index + 1, grade: read.grade, expected: read.expected, components: {} }],
  )
  const sluice = graded.length === 0 ? {} : { sluice: { engine: ENGINE_VERSION, pageGrades: graded } }
  const metadata = {
    numPages: pages.length,
    totalPages: pages.length,
    creditsUsed: parser === 'engine' ? 0 : pages.length,
  }
  const pageTexts = texts.map((parts, index) => ({ pageNumber: index + 1, markdown: parts.join('\n\n') }))
  return { body: { success: true, data: { markdown, pages: pageTexts, blocks, metadata, ...sluice } } }
}

/**
 * Routes documents one after the other through the real pipeline: real cutter, HTTP, Redis and store; engine and service
 * are scripted and know the truth of each page. Every page of the result is compared with it.
 */
async function* routeArchive(
  documents: Iterable<ArchiveDocument>,
  {
    redis,
    qualityFloor,
    random,
  }: { readonly redis: TestRedis; readonly qualityFloor: number; readonly random: Random },
): AsyncGenerator<RoutedResult> {
  await using folder = await tempFolder()
  let [number, current]: [number, ArchiveDocument] = [0, { pages: [], paidQuality: 1, failing: new Set() }]
  let charged = new Map<number, number>()
  const salt = random.below(1e9)
  await using routed = await openRoutedBench({
    redis,
    terms: { qualityFloor },
    engine: (request) => {
      const found = pagesInFile(request, MAX_PAGES)
      const pages = found.map((page) => {
        const read = current.pages[page - 1] ?? { grade: 0, expected: 0, f1: 0 }
        return { page, read, words: wordsOf(number, page, read.f1) }
      })
      return replyOf('engine', pages)
    },
    paid: (request) => {
      const found = pagesInFile(request, MAX_PAGES)
      if (found.some((page) => current.failing.has(page)))
        return errorReply(400, 'cannot be read', { code: 'DOCUMENT_CORRUPT' })
      for (const page of found) charged.set(page, (charged.get(page) ?? 0) + 1)
      return replyOf(
        'service',
        found.map((page) => ({ page, words: wordsOf(number, page, current.paidQuality) })),
      )
    },
  })
  for (const document of documents) {
    ;[number, current, charged] = [number + 1, document, new Map()]
    const name = `${number}.pdf`
    const path = join(folder.path, `${document.pages.length}.pdf`)
    await writeLargePdf(path, { pictures: document.pages.map(() => 2000) })
    // The end makes the bytes of each document its own.
    await routed.bench.write(name, Buffer.concat([await readFile(path), Buffer.from(`% ${salt} ${number}\n`)]))
    await routed.ingestToEnd(name)
    const key = sourceKey(name)
    const record = await routed.deps.store.documents.read(key)
    if (record === null) throw new Error(`${name}: there is no record`)
    const [markdown, pages, blocks] = await Promise.all(
      ['document.md', 'pages.jsonl', 'blocks.jsonl'].map(async (file) =>
        String((await routed.deps.store.documents.readOutput(key, file)) ?? ''),
      ),
    )
    yield { record, charged, ...examined({ number, document, record }, markdown ?? '', pages ?? '', blocks ?? '') }
  }
}

interface StoredBlock {
  readonly pageNumber: number
  readonly content: string
  readonly markdownSpan: readonly [number, number] | null
  readonly bbox: readonly number[] | null
}

function examined(
  {
    number,
    document,
    record,
  }: { readonly number: number; readonly document: ArchiveDocument; readonly record: DocumentRecord },
  markdown: string,
  pagesFile: string,
  blocksFile: string,
): Pick<RoutedResult, 'quality' | 'faults'> {
  const faults: string[] = []
  const pages = parseLines<{ readonly pageNumber: number; readonly markdown: string }>(pagesFile)
  const numbers = pages.map(({ pageNumber }) => pageNumber).join()
  if (numbers !== document.pages.map((_, at) => at + 1).join()) faults.push(`pages are numbered ${numbers}`)
  const blocks = Map.groupBy(parseLines<StoredBlock>(blocksFile), ({ pageNumber }) => pageNumber)
  const quality = document.pages.map(({ f1 }, at) => {
    const page = at + 1
    const parser: Parser = record.route?.pages[at]?.parser === 'service' ? 'service' : 'engine'
    const words = wordsOf(number, page, parser === 'service' ? document.paidQuality : f1)
    const text = pages[at]?.markdown ?? ''
    const found = text.match(/\bw[\w]+/g) ?? []
    if (found.join(' ') !== words.join(' ')) faults.push(`page ${page}: the text is not that of the ${parser}`)
    faults.push(...blockFaults(blocks.get(page) ?? [], { page, parser, words }, markdown))
    const truth = new Set(wordsOf(number, page, 1))
    return found.filter((word) => truth.has(word)).length / WORDS
  })
  return { quality, faults }
}

function blockFaults(
  blocks: readonly StoredBlock[],
  { page, parser, words }: { readonly page: number; readonly parser: Parser; readonly words: readonly string[] },
  markdown: string,
): string[] {
  const faults: string[] = []
  if (blocks.length !== 2) faults.push(`page ${page}: ${blocks.length} blocks`)
  for (const [at, { content, markdownSpan: span, bbox }] of blocks.entries()) {
    const box = boxOf(parser, page, at)
    if (bbox === null || bbox.some((value, side) => Math.abs(value - (box[side] ?? 0)) > 1e-9))
      faults.push(`page ${page}, block ${at}: the box is not that of the ${parser}`)
    if (span === null || markdown.slice(...span) !== content)
      faults.push(`page ${page}, block ${at}: its span slices something else`)
    if (!content.includes(words[at * (WORDS / 2)] ?? ''))
      faults.push(`page ${page}, block ${at}: it belongs to another page`)
  }
  return faults
}

const SEED = seedFrom('ROUTE_SEED', 11)
const FLOOR = 0.9
const PAGES = [1, 3, 80, 17, 6]

const redis = await shared(startTestRedis())

function drawnPage(random: Random): ReadPage {
  const f1 = random.next() < 0.3 ? random.next() : 1
  // Now and then the engine errs.
  const expected = random.next() < 0.1 ? random.next() : f1
  return { grade: expected, expected, f1 }
}

function drawnDocument(random: Random, count: number): ArchiveDocument {
  const pages = Array.from({ length: count }, () => drawnPage(random))
  const numbers = pages.map((_, at) => at + 1)
  return {
    pages,
    paidQuality: random.pick([0.9, 0.95, 0.98, 1]),
    failing: new Set(numbers.filter(() => random.next() < 0.05)),
  }
}

test(`documents of 1 to 80 pages are merged page by page, and charged for the pages in their records (seed ${SEED})`, async () => {
  const random = new Random(SEED)
  const documents = PAGES.map((count) => drawnDocument(random, count))
  let at = 0
  for await (const { record, charged, quality, faults } of routeArchive(documents, {
    redis,
    qualityFloor: FLOOR,
    random,
  })) {
    const { pages, paidQuality, failing } = documents[at++] as ArchiveDocument
    expect(faults, `document ${at}`).toEqual([])
    const bought = record.route?.pages.flatMap(({ page, reason }) => (reason === 'bought' ? [page] : [])) ?? []
    expect([...charged].toSorted(([a], [b]) => a - b)).toEqual(bought.map((page) => [page, 1]))
    expect(record.cost.credits).toBe(bought.length)
    expect(bought.filter((page) => failing.has(page))).toEqual([])
    expect(quality).toEqual(
      pages.map(({ f1 }, index) => Math.round(50 * (bought.includes(index + 1) ? paidQuality : f1)) / 50),
    )
  }
  expect(at).toBe(PAGES.length)
})
