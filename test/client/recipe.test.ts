import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { PDF_MODES, PII_ENTITIES, type ParseOptionsInput } from '@sluice/contract'
import { recipeOf } from '#src/client/recipe.ts'

/** What a set of options means, in a shape of the test's own: two are equal exactly when the answers must be. */
const meaning = fc.record({
  formats: fc.uniqueArray(fc.constantFrom('markdown', 'html', 'rawHtml', 'links', 'images', 'summary'), {
    minLength: 1,
  }),
  prompt: fc.option(fc.constantFrom('find totals', 'find names')),
  onlyMainContent: fc.boolean(),
  excludeTags: fc.uniqueArray(fc.constantFrom('nav', 'footer', '.ad')),
  headers: fc.uniqueArray(fc.constantFrom('x-a', 'x-b')),
  mode: fc.constantFrom(...PDF_MODES),
  maxPages: fc.option(fc.integer({ min: 1, max: 3 })),
  blocks: fc.boolean(),
  redact: fc.option(
    fc.record({
      mode: fc.constantFrom('accurate', 'aggressive', 'fast'),
      entities: fc.uniqueArray(fc.constantFrom(...PII_ENTITIES), { minLength: 1 }),
    }),
  ),
  proxy: fc.option(fc.constantFrom('basic', 'auto')),
})
type Meaning = typeof meaning extends fc.Arbitrary<infer T> ? T : never

/** One of many ways to write a meaning down: order, defaults, strings for objects, and what changes no answer. */
function spell(m: Meaning, random: () => number): ParseOptionsInput {
  const coin = (): boolean => random() < 0.5
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [random(), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item)
  const sayDefault = <T extends object>(isDefault: boolean, fields: T): Partial<T> =>
    isDefault && coin() ? {} : fields

  const json =
    m.prompt === null
      ? []
      : [{ type: 'json', ...shuffledKeys({ prompt: m.prompt, schema: shuffledKeys({ type: 'object', title: 't' }) }) }]
  const formats = shuffled([...m.formats.map((type) => (coin() ? type : { type })), ...json])
  const pdf = {
    type: 'pdf',
    ...sayDefault(m.mode === 'auto', { mode: m.mode }),
    ...sayDefault(!m.blocks, { blocks: m.blocks }),
    ...(m.maxPages === null ? {} : { maxPages: m.maxPages }),
  }
  const whole = m.redact !== null && m.redact.mode === 'accurate' && m.redact.entities.length === PII_ENTITIES.length
  const redactPII =
    m.redact === null ? false : whole && coin() ? true : { ...m.redact, entities: shuffled(m.redact.entities) }
  const fields: Record<string, unknown> = {
    ...sayDefault(m.formats.join() === 'markdown' && m.prompt === null, { formats }),
    ...sayDefault(m.onlyMainContent, { onlyMainContent: m.onlyMainContent }),
    ...sayDefault(m.excludeTags.length === 0, { excludeTags: shuffled([...m.excludeTags, ...m.excludeTags]) }),
    ...sayDefault(m.headers.length === 0, {
      headers: Object.fromEntries(shuffled(m.headers).map((name) => [coin() ? name : name.toUpperCase(), '1'])),
    }),
    ...sayDefault(m.mode === 'auto' && !m.blocks && m.maxPages === null, { parsers: [shuffledKeys(pdf)] }),
    ...sayDefault(m.redact === null, { redactPII }),
    ...(m.proxy === null ? {} : { proxy: m.proxy }),
    ...sayDefault(true, { timeout: 1 + Math.floor(random() * 300_000), origin: `test-${random()}`, integration: null }),
    ...sayDefault(true, { auditMetadata: { username: `user-${random()}` }, zeroDataRetention: coin() }),
  }
  return shuffledKeys(fields)

  function shuffledKeys(value: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(shuffled(Object.entries(value)))
  }
}

const sameMeaning = (a: Meaning, b: Meaning): boolean => canonical(a) === canonical(b)
const canonical = (m: Meaning): string =>
  JSON.stringify({
    ...m,
    formats: m.formats.toSorted(),
    excludeTags: m.excludeTags.toSorted(),
    headers: m.headers.toSorted(),
    redact: m.redact && { ...m.redact, entities: m.redact.entities.toSorted() },
  })

const seed = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }))
const source = (stream: Iterator<number>) => (): number => stream.next().value as number

describe('the recipe of a document', () => {
  test('has one hash for all spellings of the same options', () => {
    fc.assert(
      fc.property(meaning, seed, seed, (m, one, other) => {
        const [a, b] = [recipeOf(spell(m, source(one))), recipeOf(spell(m, source(other)))]
        expect(a.canonical).toEqual(b.canonical)
        expect(a.hash).toBe(b.hash)
      }),
      { numRuns: 300 },
    )
  })

  test('has different hashes for different options', () => {
    fc.assert(
      fc.property(meaning, meaning, seed, (m, n, random) => {
        const [a, b] = [recipeOf(spell(m, source(random))), recipeOf(spell(n, source(random)))]
        expect(a.hash === b.hash).toBe(sameMeaning(m, n))
      }),
      { numRuns: 300 },
    )
  })

  test('distinguishes every option that changes the answer', () => {
    const variants: ParseOptionsInput[] = [
      {},
      { formats: ['html'] },
      { formats: [{ type: 'json', prompt: 'a' }] },
      { formats: [{ type: 'json', prompt: 'b' }] },
      { formats: [{ type: 'json', schema: { type: 'object' } }] },
      { onlyMainContent: false },
      { includeTags: ['main'] },
      { excludeTags: ['main'] },
      { headers: { cookie: 'a' } },
      { headers: { cookie: 'b' } },
      { parsers: [] },
      { parsers: [{ type: 'pdf', mode: 'fast' }] },
      { parsers: [{ type: 'pdf', maxPages: 1 }] },
      { parsers: [{ type: 'pdf', pages: true }] },
      { parsers: [{ type: 'pdf', blocks: true }] },
      { parsers: [{ type: 'pdf', pageMarkers: true }] },
      { skipTlsVerification: false },
      { removeBase64Images: false },
      { blockAds: false },
      { redactPII: true },
      { redactPII: { mode: 'fast' } },
      { redactPII: { entities: ['EMAIL'] } },
      { redactPII: { replaceStyle: 'mask' } },
      { proxy: 'basic' },
      { proxy: 'auto' },
    ]
    expect(new Set(variants.map((options) => recipeOf(options).hash)).size).toBe(variants.length)
  })

  test('omits PDF options for a document of another format', () => {
    const options: ParseOptionsInput = { parsers: [{ type: 'pdf', blocks: true }], formats: ['html'] }
    expect(recipeOf(options, 'office').hash).toBe(recipeOf({ formats: ['html'] }, 'office').hash)
    expect(recipeOf(options, 'pdf').hash).not.toBe(recipeOf({ formats: ['html'] }, 'pdf').hash)
  })

  test('treats a disabled check for prompt injection as absent', () => {
    const hash = (check: object) => recipeOf({ formats: [{ type: 'json', prompt: 'x', ...check }] }).hash
    expect(hash({ checkPromptInjection: false })).toBe(hash({}))
    expect(hash({ checkPromptInjection: true })).not.toBe(hash({}))
  })

  test('is named by sixteen hexadecimal digits that are stable across releases', () => {
    expect(recipeOf({}).hash).toBe('44136fa355b3678a')
    expect(recipeOf({ parsers: [{ type: 'pdf', pages: true, blocks: true }] }).hash).toBe('1366dcebcc135eac')
  })

  test('hides the values of headers', () => {
    const { canonical: kept } = recipeOf({ headers: { Authorization: 'Bearer hunter2' } })
    expect(JSON.stringify(kept)).toMatch(/authorization: sha256 [0-9a-f]{16}/)
    expect(JSON.stringify(kept)).not.toContain('hunter2')
  })
})

test('the parser of images changes no recipe, and an image has the recipe of a PDF', () => {
  const pdf = recipeOf({ parsers: [{ type: 'pdf', blocks: true }] })
  expect(recipeOf({ parsers: [{ type: 'pdf', blocks: true }, 'image'] }).hash).toBe(pdf.hash)
  expect(recipeOf({ parsers: [{ type: 'pdf', blocks: true }, { type: 'image' }] }, 'image').hash).toBe(pdf.hash)
  expect(recipeOf({}).hash).toBe(recipeOf({ parsers: ['pdf', 'image'] }).hash)
})
