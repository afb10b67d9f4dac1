import { expect, test } from 'vitest'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { openEncoding } from '#src/corpus/tokens/open-counter.ts'
import { Random } from '../support/random.ts'
import { generatedReport } from '../../bench/corpus/generated-report.ts'

const LIMIT = 256

/** A SentencePiece tokenizer adds a space to the start of every text, which joins its first word. */
const spaced = (counter: TokenCounter): TokenCounter => ({
  ...counter,
  count: (text) => (text === '' ? 0 : counter.count(` ${text.trimStart()}`)),
})

test.each([
  ['as a tokenizer of bytes counts', (counter: TokenCounter) => counter],
  ['as one that adds a space counts', spaced],
])('a counter without known words counts each chunk little more than once, %s', async (_, asCounter) => {
  const encoding = asCounter(await openEncoding('cl100k_base'))
  const random = new Random(7)
  let [counted, texts, tokens, chunks] = [0, 0, 0, 0]
  const count = (text: string): number => {
    counted += text.length
    return encoding.count(text)
  }
  const counter = { name: 'counts', overhead: 0, count }
  for (let number = 0; number < 20; number++) {
    const { markdown } = generatedReport(random, number)
    const found = chunkDocument({ markdown, blocks: [], pages: [] }, { counter, limit: LIMIT, overlap: 0 })
    for (const chunk of found.chunks) {
      texts += chunk.text.length
      tokens += chunk.tokens
      chunks += 1
    }
  }
  expect(counted / texts).toBeLessThan(1.2)
  expect(tokens / chunks).toBeGreaterThan(LIMIT * 0.65)
})
