import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ChunkableDocument,
  type LayoutBlock,
  MAX_LIMIT,
  MIN_LIMIT,
  type TokenCounter,
} from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { openEncoding } from '#src/corpus/tokens/encodings.ts'
import { openTokenizerFile } from '#src/corpus/tokens/tokenizer-file.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { breachesOfLaw } from './support/chunk-law.ts'
import { randomDocument } from './support/random-document.ts'
import { writeTokenizers } from './support/tokenizer-files.ts'

/** `CHUNK_SEED=7 CHUNK_DOCUMENTS=10000` plays other documents, or more. */
const SEED = Number(process.env['CHUNK_SEED'] ?? 1)
const DOCUMENTS = Number(process.env['CHUNK_DOCUMENTS'] ?? 30)

/** Folders with documents of one's own, `:` between them: every `.md` file below is played, with the `blocks.jsonl` beside it. */
const FOLDERS = (process.env['CHUNK_FOLDERS'] ?? '').split(':').filter((folder) => folder !== '')

const LIMITS = [MIN_LIMIT, MIN_LIMIT, 65, 100, 128, 200, 256, 512, 1024, 4096, MAX_LIMIT]

describe('the law of chunks', () => {
  const counters: TokenCounter[] = []
  const folder = tempFolder()

  beforeAll(async () => {
    const { wordPiece, bytePairs } = await writeTokenizers((await folder).path)
    counters.push(
      await openEncoding('o200k_base'),
      await openEncoding('cl100k_base'),
      await openEncoding('r50k_base'),
      await openTokenizerFile(wordPiece),
      await openTokenizerFile(bytePairs),
    )
  })
  afterAll(async () => (await folder)[Symbol.asyncDispose]())

  test(`holds for ${DOCUMENTS} random documents from seed ${SEED}, in five tokenizers`, { timeout: 3_600_000 }, () => {
    const breaches: string[] = []
    for (let seed = SEED; seed < SEED + DOCUMENTS && breaches.length < 20; seed++) {
      const random = new Random(seed)
      const found = played(random, randomDocument(random), counters)
      breaches.push(...found.map((breach) => `seed ${seed}, ${breach}`))
    }
    expect(breaches).toEqual([])
  })

  const folders = FOLDERS.length === 0 ? 'CHUNK_FOLDERS, which is not set' : FOLDERS.join(', ')
  test.skipIf(FOLDERS.length === 0)(`holds for the documents of ${folders}`, { timeout: 3_600_000 }, async () => {
    const breaches: string[] = []
    let documents = 0
    for (const root of FOLDERS) {
      for (const name of (await readdir(root, { recursive: true })).filter((path) => path.endsWith('.md')).toSorted()) {
        documents += 1
        const document = await documentOf(join(root, name))
        const found = played(new Random(SEED + documents), document, counters)
        breaches.push(...found.map((breach) => `${name}, ${breach}`))
      }
    }
    console.log(`${documents} documents`)
    expect(documents).toBeGreaterThan(0)
    expect(breaches).toEqual([])
  })
})

/** In each tokenizer, with options drawn at random. */
function played(random: Random, document: ChunkableDocument, counters: readonly TokenCounter[]): readonly string[] {
  const limit = random.pick(LIMITS)
  const overlap = random.pick([0, 0, 16, 50])
  const pages = random.below(4) === 0
  return counters.flatMap((counter) => {
    const options = { counter, limit, overlap, pages }
    const found = breachesOfLaw(document, chunkDocument(document, options), options)
    return found.slice(0, 3).map((breach) => `${counter.name}, ${limit} tokens: ${breach}`)
  })
}

async function documentOf(path: string): Promise<ChunkableDocument> {
  const markdown = await readFile(path, 'utf8')
  const lines = await readFile(join(dirname(path), 'blocks.jsonl'), 'utf8').catch(() => '')
  const blocks = lines.split('\n').flatMap((line): LayoutBlock[] => {
    if (line === '' || basename(path) !== 'document.md') return []
    const { id, type, pageNumber, bbox, markdownSpan } = JSON.parse(line) as BlockLine
    return markdownSpan === null ? [] : [{ id, type, page: pageNumber, bbox, span: markdownSpan }]
  })
  return { markdown, blocks, pages: [] }
}

interface BlockLine extends Pick<LayoutBlock, 'id' | 'type' | 'bbox'> {
  readonly pageNumber: number
  readonly markdownSpan: LayoutBlock['span'] | null
}
