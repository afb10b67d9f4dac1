import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type ChunkableDocument,
  type LayoutBlock,
  MAX_LIMIT,
  MIN_LIMIT,
  type TokenCounter,
} from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { anchorOf } from '#src/document/anchor.ts'
import { openEncoding } from '#src/corpus/tokens/encodings.ts'
import { openTokenizerFile } from '#src/corpus/tokens/tokenizer-file.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { breachesOfLaw } from './support/chunk-law.ts'
import { randomDocument } from './support/random-document.ts'
import { writeTokenizers } from './support/tokenizer-files.ts'
import { seedFrom } from '../support/seed.ts'
import { shared } from '../support/shared.ts'

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
