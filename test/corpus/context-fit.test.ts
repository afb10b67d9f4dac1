import { expect, test } from 'vitest'
import { cleaned, fitted, limitBeside } from '#src/corpus/context/fit.ts'
import { openEncoding } from '#src/corpus/tokens/encodings.ts'
import { Random } from '../support/random.ts'
import { wordCounter } from './support/word-counter.ts'
import { randomWords } from './support/random-text.ts'
import { seedFrom } from '../support/seed.ts'

/** `CONTEXT_SEED=7 CONTEXT_CASES=10000` draws others, or more. */
const SEED = seedFrom('CONTEXT_SEED', 1)
const CASES = Number(process.env['CONTEXT_CASES'] ?? 300)

test(`a context is shortened before the text, and both stay within the limit, in ${CASES} random cases from seed ${SEED}`, async () => {
  const counters = [wordCounter, await openEncoding('o200k_base'), await openEncoding('r50k_base')]
  const seen = { whole: 0, shortened: 0, none: 0 }
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed)
    const counter = random.pick(counters)
    const limit = 64 + random.below(300)
    const text = randomWords(random, random.pick(['latin', 'mixed', 'han', 'wild'] as const), random.below(60))
    const tokens = counter.count(text)
    if (tokens > limit) continue
    const answer = randomWords(random, random.pick(['latin', 'mixed', 'han', 'wild'] as const), random.below(120))
    const contextTokens = 8 + random.below(120)
    const made = fitted(answer, text, tokens, { counter, limit, contextTokens })
    const about = { seed, counter: counter.name, limit, made }
    expect({ ...about, tokens: counter.count(made.text) }).toEqual({ ...about, tokens: made.tokens })
    expect({ ...about, fits: made.tokens <= limit }).toEqual({ ...about, fits: true })
    expect(made.text).toBe(made.context === null ? text : `${made.context}\n\n${text}`)
    if (made.context === null) {
      seen.none += 1
      continue
    }
    expect({ ...about, fits: counter.count(made.context) <= contextTokens }).toEqual({ ...about, fits: true })
    const isWhole = made.context === cleaned(answer)
    seen[isWhole ? 'whole' : 'shortened'] += 1
    const start = isWhole ? made.context : made.context.replace(/…$/, '')
    expect({ ...about, begins: cleaned(answer).startsWith(start) }).toEqual({ ...about, begins: true })
  }
  expect(Math.min(seen.whole, seen.shortened, seen.none), JSON.stringify(seen)).toBeGreaterThan(0)
})

test('a shortened context keeps whole sentences where the first one fits, else words', () => {
  const limits = { counter: wordCounter, limit: 64, contextTokens: 8 }
  const answer = 'It is about a lock. It says what the work on the lock cost in all. More.'
  expect(fitted(answer, 'text', 1, limits).context).toBe('It is about a lock.')
  expect(fitted('It is about what the work on the lock cost in all.', 'text', 1, limits).context).toBe(
    'It is about what the work on the…',
  )
  expect(fitted(answer, 'text', 1, { ...limits, limit: 1 })).toEqual({ context: null, text: 'text', tokens: 1 })
})

test('a context leaves out reasoning, quotes and line breaks of the model', () => {
  expect(cleaned('<think>\nHm.\n</think>\n"It is about\na lock."\n')).toBe('It is about a lock.')
  expect(fitted('  \n', 'text', 1, { counter: wordCounter, limit: 64, contextTokens: 8 }).context).toBeNull()
})

test('a chunk leaves its context the tokens that it may have, and has itself at least 64 tokens', () => {
  expect([limitBeside(512, 100), limitBeside(128, 100), limitBeside(64, 100)]).toEqual([412, 64, 64])
})
