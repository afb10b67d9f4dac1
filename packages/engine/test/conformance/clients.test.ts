import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEngine, type Engine } from '../../src/server/create-engine.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { CLIENTS, type Client, type Got } from './clients.ts'

const PDF_OPTIONS = { parsers: [{ type: 'pdf', maxPages: 2, pages: true, blocks: true, pageMarkers: true }] }
const HTML = '<html><head><title>Résumé</title></head><body><h1>Über</h1><p>Grüße, 文書.</p></body></html>'

let engine: Engine
let folder: string
const outcomes = new Map<string, string[]>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  await writeFile(join(folder, 'three.pdf'), pdfOf(['First page', 'Second page', 'Third page']))
  await writeFile(join(folder, 'résumé 文書.html'), HTML)
  await writeFile(join(folder, 'damaged.pdf'), pdfOf(['x']).subarray(0, 100))
  engine = await createEngine({
    children: 2,
    keys: { 'fc-good': {}, 'fc-poor': { credits: 0 }, 'fc-slow': { requestsPerMinute: 0 } },
  })
})

afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
  const names = CLIENTS.map(({ name }) => name)
  const table = new Table({ head: ['client', ...names], style: { head: [], border: [] } })
  for (const [scenario, cells] of outcomes) table.push([scenario, ...cells])
  console.log(table.toString())
})

type Check = (got: Got, client: Client) => void

const says =
  (pattern: RegExp): Check =>
  (got) => {
    expect(got).toHaveProperty('error')
    expect('error' in got ? got.error : '').toMatch(pattern)
  }

const documentOf = (got: Got) => {
  if ('error' in got) throw new Error(got.error)
  return got.document
}

const SCENARIOS: readonly (readonly [name: string, file: string, key: string, options: object, check: Check])[] = [
  [
    'a PDF becomes Markdown',
    'three.pdf',
    'fc-good',
    {},
    (got) => expect(documentOf(got).markdown).toMatch(/First page[\s\S]*Third page/),
  ],
  [
    'PDF options arrive',
    'three.pdf',
    'fc-good',
    PDF_OPTIONS,
    (got, { sends }) => {
      const { markdown, pages, blocks, metadata } = documentOf(got)
      const parsed = sends === 'formats' ? 3 : 2
      expect(metadata).toMatchObject({ numPages: parsed, totalPages: 3, creditsUsed: parsed })
      if (sends === 'all') {
        expect(markdown).toContain('\n\n---\n\n<!-- page 2 -->\n\n')
        expect(pages?.map(({ pageNumber }) => pageNumber)).toEqual([1, 2])
        const [start = 0, end = 0] = blocks?.[1]?.items[0]?.markdownSpan ?? []
        expect(markdown?.slice(start, end)).toBe(blocks?.[1]?.items[0]?.content)
      }
    },
  ],
  [
    'a name in UTF-8',
    'résumé 文書.html',
    'fc-good',
    { formats: ['markdown'], onlyMainContent: false },
    (got) => {
      expect(documentOf(got).markdown).toContain('Grüße, 文書.')
      expect(documentOf(got).metadata?.sourceURL).toBe('résumé 文書.html')
    },
  ],
  ['a damaged file is refused', 'damaged.pdf', 'fc-good', {}, says(/damaged|corrupt|could not|cannot/i)],
  ['an unknown key: 401', 'three.pdf', 'fc-other', {}, says(/Unauthorized: Invalid token/)],
  ['no credits: 402', 'three.pdf', 'fc-poor', {}, says(/Insufficient credits/)],
  ['too many requests: 429', 'three.pdf', 'fc-slow', {}, says(/Rate limit exceeded/)],
]

describe.each(SCENARIOS)('%s', (name, file, key, options, check) => {
  test('with every client', { timeout: 240_000 }, async () => {
    const wish = { url: engine.url, key, path: join(folder, file), options }
    const all = await Promise.all(CLIENTS.map(async (client) => ({ client, got: await client.parse(wish) })))
    outcomes.set(
      name,
      all.map(({ got }) => ('error' in got ? 'refused, and says why' : 'parsed')),
    )
    for (const { client, got } of all) check(got, client)
  })
})
