import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_LIMIT, MIN_LIMIT, type TokenCounter } from '#src/corpus/chunks/chunk.ts'
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
      const document = randomDocument(random)
      const limit = random.pick(LIMITS)
      const overlap = random.pick([0, 0, 16, 50])
      const pages = random.below(4) === 0
      for (const counter of counters) {
        const options = { counter, limit, overlap, pages }
        const found = breachesOfLaw(document, chunkDocument(document, options), options)
        breaches.push(...found.slice(0, 3).map((breach) => `seed ${seed}, ${counter.name}, ${limit} tokens: ${breach}`))
      }
    }
    expect(breaches).toEqual([])
  })
})
