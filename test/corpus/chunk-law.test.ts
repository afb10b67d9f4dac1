import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type ChunkableDocument,
  type LayoutBlock,
  MAX_LIMIT,
  MIN_LIMIT,
  type TokenCounter,
  type Chunk,
  type ChunkedDocument,
  type ChunkOptions,
} from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { anchorOf, type Anchor } from '@sluice/contract'
import { openEncoding } from '#src/corpus/tokens/open-counter.ts'
import { openTokenizerFile } from '#src/corpus/tokens/tokenizer-file.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { randomDocument } from './support/random-document.ts'
import { writeTokenizers } from './support/tokenizer-files.ts'
import { seedFrom } from '../support/seed.ts'
import { shared } from '../support/shared.ts'

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Everything in which these chunks break the law of docs/guide/retrieval.md, one sentence each. Counts by itself. */
function breachesOfLaw(
  document: ChunkableDocument,
  { chunks, exclusions }: ChunkedDocument,
  options: ChunkOptions,
): string[] {
  return [
    ...partition(document.markdown, chunks, exclusions),
    ...chunks.flatMap((chunk, index) => {
      const said = [
        ...limits(chunk, options),
        ...citation(document, chunk),
        ...tables(chunk, options),
        ...borders(document.markdown, chunks, index, options),
      ]
      return said.map((breach) => `chunk ${index}, ${JSON.stringify(chunk.text.slice(0, 60))}: ${breach}`)
    }),
  ]
}

function partition(markdown: string, chunks: readonly Chunk[], exclusions: ChunkedDocument['exclusions']): string[] {
  const spans = [...chunks.map(({ span }) => span), ...exclusions.map(({ span }) => span)].toSorted(
    (one, other) => one[0] - other[0],
  )
  const breaches: string[] = []
  let from = 0
  for (const [start, end] of spans) {
    if (start !== from || end <= start) breaches.push(`from ${from} to ${start}..${end}: a gap, an overlap or nothing`)
    from = end
  }
  if (from !== markdown.length) breaches.push(`the end is at ${from}, not at ${markdown.length}`)
  for (const { reason, span } of exclusions) {
    const text = markdown.slice(span[0], span[1])
    const isNamed = NAMED[reason].test(text)
    if (!isNamed) breaches.push(`excluded as ${reason}: ${JSON.stringify(text)}`)
  }
  return breaches
}

const NAMED: Readonly<Record<ChunkedDocument['exclusions'][number]['reason'], RegExp>> = {
  whitespace: /^\s+$/,
  page_marker: /^(---\s+)?<!-- page \d+ -->$/,
  quote_mark: /^>+$/,
}

function limits({ text, body, tokens }: Chunk, { counter, limit }: ChunkOptions): string[] {
  const counted = counter.count(text)
  return [
    ...(counted > limit ? [`${counted} tokens of ${limit}`] : []),
    ...(counted === tokens ? [] : [`says ${tokens} tokens and has ${counted}`]),
    ...(text.endsWith(body) ? [] : ['its text does not end with its body']),
    ...(body.trim() === '' ? ['its body is empty'] : []),
  ]
}

function citation({ markdown, blocks }: ChunkableDocument, chunk: Chunk): string[] {
  const [start, end] = chunk.span
  const breaches = markdown.slice(start, end) === chunk.body ? [] : ['its span does not slice to its body']
  const touched = blocks.filter(({ span }) => span[0] < end && start < span[1] && span[1] > span[0])
  const ids = touched.map(({ id }) => id).toSorted()
  if (blocks.length > 0 && ids.join() !== chunk.blocks.toSorted().join()) {
    breaches.push('it names other blocks than it touches')
  }
  const anchors = chunk.anchors.map(nameOf)
  for (const { page, bbox, anchor } of touched) {
    if (anchor !== undefined && !anchors.includes(nameOf(anchor))) breaches.push(`${nameOf(anchor)} is missing`)
    if (page === null) continue
    if (!chunk.pages.includes(page)) breaches.push(`page ${page} is missing`)
    const union = chunk.boxes.find((box) => box.page === page)?.bbox
    if (bbox === null) continue
    const isInside =
      union !== undefined && union[0] <= bbox[0] && union[1] <= bbox[1] && union[2] >= bbox[2] && union[3] >= bbox[3]
    if (!isInside) breaches.push(`a box of page ${page} is not covered`)
  }
  return breaches
}

/** Cells are narrowed to the rows in the body: the sheet has to be the same. */
const nameOf = (anchor: Anchor): string => JSON.stringify('sheet' in anchor ? { sheet: anchor.sheet } : anchor)

function tables({ kind, table, oversize, text, body }: Chunk, { counter, limit }: ChunkOptions): string[] {
  if (table === null) return []
  if (kind !== 'table' || oversize) return ['has rows and is no whole table']
  if (table.rows.some((row) => row.length !== table.header.length)) {
    return ['a row has another number of cells than the header']
  }
  const lines = text.split('\n')
  if (lines.some((line, index) => index > 0 && /^[\s>]*[\s|:-]*-[\s|:-]*$/.test(line) && line.includes('|'))) return []
  // As it is repeated: behind the marks of the quote that it stands in, pipes escaped.
  const marks = '> '.repeat((/^[\s>]*/.exec(body)?.[0].split('>').length ?? 1) - 1)
  const cells = table.header.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')
  const header = `${marks}| ${cells} |\n${marks}|${' --- |'.repeat(table.header.length)}\n`
  return counter.count(header) > limit * 0.4 || counter.count(header + body) > limit ? [] : ['the header is missing']
}

/** Two bodies that touch meet between two user-perceived characters, or inside of one that alone is over the limit. */
function borders(
  markdown: string,
  chunks: readonly Chunk[],
  index: number,
  { counter, limit }: ChunkOptions,
): string[] {
  const at = chunks[index]?.span[0] ?? 0
  if (at === 0 || chunks[index - 1]?.span[1] !== at) return []
  const [before, after] = [markdown.charCodeAt(at - 1), markdown.charCodeAt(at)]
  if (before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000)
    return ['begins inside of a surrogate pair']
  if (before < 128 && after < 128) return []
  const split = characterAround(markdown, at)
  return split === null || counter.count(split) > limit ? [] : [`begins inside of ${JSON.stringify(split)}`]
}

/** The user-perceived character that an offset is inside of; null between two. Segments from the start of the line. */
function characterAround(markdown: string, at: number): string | null {
  const from = markdown.lastIndexOf('\n', at - 1) + 1
  for (let length = 1024; ; length *= 2) {
    const found = GRAPHEMES.segment(markdown.slice(from, at + length)).containing(at - from)
    if (found === undefined || found.index === at - from) return null
    // The last unit of the slice may be half of a surrogate pair.
    const isWhole = found.index + found.segment.length < at + length - from - 1 || at + length >= markdown.length
    if (isWhole) return found.segment
  }
}

/** `CHUNK_SEED=7 CHUNK_DOCUMENTS=10000` plays other documents, or more. */
const SEED = seedFrom('CHUNK_SEED', 1)
const DOCUMENTS = Number(process.env['CHUNK_DOCUMENTS'] ?? 30)

/** In how many tokenizers each document is played, drawn at random: a long run is cheaper with one or two. */
const TOKENIZERS = Number(process.env['CHUNK_TOKENIZERS'] ?? 6)

/** Folders with documents of one's own, `:` between them: every `.md` file below is played, with the `blocks.jsonl` beside it. */
const FOLDERS = (process.env['CHUNK_FOLDERS'] ?? '').split(':').filter((folder) => folder !== '')

const LIMITS = [MIN_LIMIT, MIN_LIMIT, 65, 100, 128, 200, 256, 512, 1024, 4096, MAX_LIMIT]

const folder = await shared(tempFolder())
const { wordPiece, bytePairs } = await writeTokenizers(folder.path)
const counters: readonly TokenCounter[] = [
  await openEncoding('o200k_base'),
  await openEncoding('cl100k_base'),
  await openEncoding('r50k_base'),
  await openTokenizerFile(wordPiece),
  await openTokenizerFile(bytePairs),
]

describe('the law of chunks', () => {
  test(`holds for ${DOCUMENTS} random documents from seed ${SEED}, in five tokenizers`, { timeout: 3_600_000 }, () => {
    const breaches: string[] = []
    const distribution = new Distribution()
    for (let seed = SEED; seed < SEED + DOCUMENTS && breaches.length < 20; seed++) {
      const random = new Random(seed)
      const found = played(random, randomDocument(random), distribution)
      breaches.push(...found.map((breach) => `seed ${seed}, ${breach}`))
    }
    console.log(distribution.report())
    expect(breaches).toEqual([])
  })

  const folders = FOLDERS.length === 0 ? 'CHUNK_FOLDERS, which is not set' : FOLDERS.join(', ')
  test.skipIf(FOLDERS.length === 0)(`holds for the documents of ${folders}`, { timeout: 3_600_000 }, async () => {
    const breaches: string[] = []
    const distribution = new Distribution()
    let documents = 0
    for (const root of FOLDERS) {
      for (const name of (await readdir(root, { recursive: true })).filter((path) => path.endsWith('.md')).toSorted()) {
        documents += 1
        const document = await documentOf(join(root, name))
        const found = played(new Random(SEED + documents), document, distribution)
        breaches.push(...found.map((breach) => `${name}, ${breach}`))
      }
    }
    console.log(distribution.report())
    expect(documents).toBeGreaterThan(0)
    expect(breaches).toEqual([])
  })
})

/** In the tokenizers, with options drawn at random; one of the five is played also as if no more than its counts were known. */
function played(random: Random, document: ChunkableDocument, distribution: Distribution): readonly string[] {
  const limit = random.pick(LIMITS)
  const overlap = random.pick([0, 0, 16, 50])
  const pages = random.below(4) === 0
  const countsAlone = { ...random.pick(counters), words: null }
  distribution.add('limit', limit)
  distribution.add('characters', 10 ** Math.ceil(Math.log10(document.markdown.length)))
  distribution.add('layout', document.blocks.length > 0)
  const all = [...counters, { ...countsAlone, name: `${countsAlone.name}, counts` }]
  while (all.length > TOKENIZERS) all.splice(random.below(all.length), 1)
  return all.flatMap((counter) => {
    const options = { counter, limit, overlap, pages }
    distribution.add('tokenizer', counter.name.replace(/.*, /, ''))
    const chunked = chunkDocument(document, options)
    for (const { kind, oversize } of chunked.chunks) distribution.add('chunk', oversize ? `${kind}, oversize` : kind)
    const found = breachesOfLaw(document, chunked, options)
    return found.slice(0, 3).map((breach) => `${counter.name}, ${limit} tokens: ${breach}`)
  })
}

/** How often each value of each property was drawn. */
class Distribution {
  readonly #counts = new Map<string, Map<string | number | boolean, number>>()

  add(property: string, value: string | number | boolean): void {
    const counts = this.#counts.get(property) ?? new Map<string | number | boolean, number>()
    counts.set(value, (counts.get(value) ?? 0) + 1)
    this.#counts.set(property, counts)
  }

  report(): string {
    return [...this.#counts].map(([property, counts]) => `${property}: ${asText(counts)}`).join('\n')
  }
}

const asText = (counts: ReadonlyMap<string | number | boolean, number>): string =>
  [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([value, count]) => `${value} ${count}`)
    .join(' · ')

async function documentOf(path: string): Promise<ChunkableDocument> {
  const markdown = await readFile(path, 'utf8')
  const lines = await readFile(join(dirname(path), 'blocks.jsonl'), 'utf8').catch(() => '')
  const blocks = lines.split('\n').flatMap((line): LayoutBlock[] => {
    if (line === '' || basename(path) !== 'document.md') return []
    const { id, type, pageNumber, bbox, markdownSpan, anchor: returned } = JSON.parse(line) as BlockLine
    const anchor = anchorOf(returned)
    if (markdownSpan === null) return []
    return [{ id, type, page: pageNumber, bbox, span: markdownSpan, ...(anchor !== null && { anchor }) }]
  })
  return { markdown, blocks, pages: [] }
}

interface BlockLine extends Pick<LayoutBlock, 'id' | 'type' | 'bbox'> {
  readonly pageNumber: number
  readonly anchor?: unknown
  readonly markdownSpan: LayoutBlock['span'] | null
}
