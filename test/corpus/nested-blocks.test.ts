import { describe, expect, test } from 'vitest'
import type { Chunk, TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'

const FIRST_SEED = seedFrom('NESTED_SEED', 1)

/** A token is a word: sizes can be read off the text. */
const words: TokenCounter = {
  name: 'words',
  overhead: 0,
  count: (text) => text.match(/\S+/g)?.length ?? 0,
}

const chunks = (markdown: string, limit = 64): readonly Chunk[] =>
  chunkDocument({ markdown, blocks: [], pages: [] }, { counter: words, limit, overlap: 0 }).chunks

const prose = (word: string, count: number): string => `${Array.from({ length: count }, () => word).join(' ')}.`

const rows = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `| item${index} | ${index} euro |`)

const TABLE = ['| Item | Cost |', '| --- | --- |', ...rows(40)]
const CODE = ['```yaml', ...Array.from({ length: 60 }, (_, index) => `- key${index}: value ${index}`), '```']

const indented = (lines: readonly string[], indent: string): string => lines.map((line) => indent + line).join('\n')

/** Blocks in the containers that Markdown has: what stands before each of their lines. */
const CONTAINERS = [
  { name: 'a list item', open: '- Prices of the year:\n\n', prefix: '  ', close: '\n- Next item' },
  { name: 'an ordered list item', open: '1. Prices of the year:\n\n', prefix: '   ', close: '\n2. Next item' },
  { name: 'a nested list item', open: '- Outer\n  - Inner:\n\n', prefix: '    ', close: '\n- Next item' },
  { name: 'a quote', open: '> Prices of the year:\n>\n', prefix: '> ', close: '\n>\n> Behind it' },
  { name: 'a quote in a list', open: '- Quoted:\n\n  > As follows:\n  >\n', prefix: '  > ', close: '\n\n- Next item' },
  { name: 'a list in a quote', open: '> - Prices:\n>\n', prefix: '>   ', close: '\n> - Next item' },
] as const

describe('chunks of a container', () => {
  test.each(CONTAINERS)('repeat the header of a table in $name above each part, and cut no row', (container) => {
    const found = chunks(`${container.open}${indented(TABLE, container.prefix)}${container.close}`)
    const tables = found.filter(({ kind }) => kind === 'table')
    expect(tables.flatMap(({ table }) => table?.rows ?? [])).toEqual(
      rows(40).map((_, index) => [`item${index}`, `${index} euro`]),
    )
    for (const { text, table } of tables) {
      expect(table?.header).toEqual(['Item', 'Cost'])
      expect(text.replaceAll(/^[> ]+/gm, '')).toContain('| Item | Cost |\n| --- | --- |\n| item')
    }
  })

  test.each(CONTAINERS)('repeat the fence of code in $name above each part, and cut no line', (container) => {
    const found = chunks(`${container.open}${indented(CODE, container.prefix)}${container.close}`)
    const code = found.filter(({ body }) => body.includes('key'))
    expect(code.length).toBeGreaterThan(2)
    for (const { text, body } of code) {
      expect(text.replaceAll(/^[> ]+/gm, '')).toMatch(/```yaml\n- key\d+: value \d+/)
      expect(body.split('\n').filter((line) => /key\d+:$/.test(line))).toEqual([])
    }
  })

  test('keep all rows of tables in random containers', () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 60; seed++) {
      const random = new Random(seed)
      const prefixes = Array.from({ length: 1 + random.below(3) }, () => random.pick(['> ', '  ']))
      // A line of a list belongs to it when it is indented; the first one has the marker instead of the indent.
      const first = prefixes.map((prefix) => (prefix === '  ' ? '- ' : prefix)).join('')
      const lines = [`| A ${seed} | B |`, '|---|:-:|', ...rows(40 + random.below(40))]
      const markdown = lines.map((line, index) => (index === 0 ? first : prefixes.join('')) + line).join('\n')
      const tables = chunks(markdown, 64 + random.below(60)).filter(({ kind }) => kind === 'table')
      const whole = tables.flatMap(({ table }) => table?.rows.map(([name]) => name) ?? [])
      expect({ seed, markdown: first, rows: whole }).toEqual({
        seed,
        markdown: first,
        rows: lines.slice(2).map((_, index) => `item${index}`),
      })
    }
  })
})

describe('a table in chunks', () => {
  test('shares its chunk with no prose above its heading', () => {
    const found = chunks(`${prose('a', 20)}\n\n## Costs\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n${prose('b', 60)}`)
    expect(found.map(({ kind, body }) => [kind, body.slice(0, 8)])).toEqual([
      ['text', 'a a a a '],
      ['table', '## Costs'],
      ['text', 'b b b b '],
    ])
  })

  test('has no sentence as its caption that merely resembles one', () => {
    const [first, second] = chunks(
      `Table 3 shows what it cost, and ${prose('why', 20)}\n\n| A |\n| - |\n${'| 1 |\n'.repeat(30)}`,
    )
    expect(first).toMatchObject({ kind: 'text', caption: null })
    expect(second).toMatchObject({ kind: 'table', caption: null })
  })

  test('ends before a list or a quote that follows without a blank line', () => {
    const [table] = chunks(`| A |\n| - |\n| 1 |\n- ${prose('item', 30)}\n${'- one\n'.repeat(40)}`)
    expect(table?.table?.rows).toEqual([['1']])
  })

  test('begins only where header and delimiter row have equally many cells', () => {
    expect(chunks('| A | B |\n| --- |\n| 1 | 2 |')[0]?.kind).toBe('text')
  })

  test('repeats its header above all parts of a row over the limit, from the column of each part', () => {
    const long = `| first | ${prose('x', 90)} | ${prose('y', 90)} |`
    const found = chunks(`## Costs\n\n| Name | Long | Last |\n| --- | --- | --- |\n${long}`)
    for (const { text } of found) expect(text).toContain('| Name | Long | Last |\n| --- | --- | --- |\n|')
    const last = found.at(-1)?.text.split('\n').at(-1) ?? ''
    expect(last).toMatch(/^\| \| \| y/)
    expect(found.every(({ body }) => body.includes('x') || body.includes('y'))).toBe(true)
  })
})

describe('HTML within Markdown', () => {
  test('in a comment is neither heading nor title', () => {
    const [first] = chunks('<!--\n\n# Draft, not to be read\n\n-->\n\n# Title\n\nText.')
    expect(first?.title).toBe('Title')
    expect(chunks('Text.\n<!-- note\n\n# Draft\n-->\n\n# Title\n\nText.')[0]?.title).toBe('Title')
  })

  test.each(['script', 'style', 'textarea', 'pre'])('in <%s> is not a heading', (name) => {
    expect(chunks(`<${name}>\n\n# not a heading\n\n</${name.toUpperCase()}>\n\n# Title`)[0]?.title).toBe('Title')
  })

  test('in an unclosed comment hides only its paragraph', () => {
    expect(chunks('<!-- open\n\n# Title\n\nText.')[0]?.title).toBe('Title')
  })
})
