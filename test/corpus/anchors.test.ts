import { utils, write } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import type { AnchoredBlock, Extension } from '@sluice/contract'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { anchoredBlocks } from '../../packages/engine/src/anchors/anchored-blocks.ts'
import { openCorpus } from '#src/library/main.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { sourceKey } from '#src/document/ids.ts'
import { bookFile } from '../../packages/engine/test/office/generated/book-file.ts'
import { slideFile } from '../../packages/engine/test/office/generated/slide-file.ts'
import { collect, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { Random } from '../support/random.ts'
import { wordCounter } from './support/word-counter.ts'
import { seedFrom } from '../support/seed.ts'
import { convertBytes } from '../support/convert-bytes.ts'

/** `ANCHOR_SEED=7` draws other files; a failure prints the seed. */
const FIRST = seedFrom('ANCHOR_SEED', 1)
const SEEDS = Array.from({ length: 4 }, (_, index) => FIRST + index)

interface Converted {
  readonly markdown: string
  readonly blocks: readonly AnchoredBlock[]
}

async function converted(bytes: Buffer, extension: Extension): Promise<Converted> {
  const { markdown, marks = [] } = await convertBytes(bytes, extension, { extensions: true })
  return { markdown, blocks: anchoredBlocks(markdown, marks) ?? [] }
}

/** A store that holds one document, its outputs derived from an answer. */
async function storeOf(key: string, { markdown, blocks }: Converted): Promise<MemoryStore> {
  const store = new MemoryStore()
  const sluice = { engine: 'test', grade: null, pageGrades: null, blocks }
  const files = renderOutputs({ markdown, sluice }, sourceKey(key))
  await store.documents.commit(recordOf(key, files), files)
  return store
}

/** A workbook whose cells hold their own address: `Sheet 1!B7`. */
function workbook(random: Random): Buffer {
  const book = utils.book_new()
  for (let sheet = 1; sheet <= 1 + random.below(3); sheet++) {
    const drawn = utils.aoa_to_sheet([])
    const [top, left, columns] = [random.below(5), random.below(30), 1 + random.below(5)]
    for (let row = top; row < top + 30 + random.below(80); row++) {
      if (random.below(12) === 0) continue
      for (let column = left; column < left + columns; column++) {
        const origin = { r: row, c: column }
        utils.sheet_add_aoa(drawn, [[`s${sheet}!${utils.encode_cell(origin)}!`]], { origin })
      }
    }
    utils.book_append_sheet(book, drawn, `s${sheet}`)
  }
  return write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer
}

describe('chunks of a document without pages', () => {
  test.each(SEEDS)('cite exactly the workbook cells that they contain (seed %i)', async (seed) => {
    const store = await storeOf('book.xlsx', await converted(workbook(new Random(seed)), 'xlsx'))
    await using corpus = await openCorpus(store)
    const chunks = await collect(corpus.chunks({ limit: 64 }))
    expect(chunks.length).toBeGreaterThan(2)
    for (const { body, anchors, sheet, kind, oversize } of chunks) {
      const cells = [...body.matchAll(/(s\d+)!([A-Z]+\d+)!/g)]
      const cited = anchors.flatMap((anchor) => ('range' in anchor && anchor.range !== null ? [anchor] : []))
      const isCited = ([, of, cell = '']: RegExpMatchArray): boolean =>
        cited.some((anchor) => anchor.sheet === of && isIn(cell, anchor.range ?? ''))
      expect(cells.filter((cell) => !isCited(cell)).map(([text]) => text)).toEqual([])
      // As many rows are cited as begin in the body.
      const lines = body.split('\n').filter((line) => line.startsWith('|') && !/^\|(?: --- \|)+$/.test(line))
      if (!oversize) expect(rowsIn(cited), JSON.stringify([body, cited])).toBe(lines.length)
      if (kind === 'table') expect([cited.length > 0, sheet]).toEqual([true, cited[0]?.sheet])
    }
  })

  test.each([
    ['slide', slideFile],
    ['chapter', bookFile],
  ] as const)('cite the %s of every word in them', async (unit, make) => {
    for (const seed of SEEDS) {
      const { bytes, extension, words } = make(seed)
      const { markdown, blocks } = await converted(bytes, extension)
      const options = { counter: wordCounter, limit: 64, overlap: 0 }
      const layout = blocks.map(({ markdownSpan, ...block }) => ({
        ...block,
        page: null,
        bbox: null,
        span: markdownSpan,
      }))
      const { chunks } = chunkDocument({ markdown, blocks: layout, pages: [] }, options)
      for (const { word, position, construct } of words) {
        const at = markdown.indexOf(word)
        // Notes of a text stand at its end.
        if (at === -1 || construct === 'footnote' || construct === 'endnote') continue
        const chunk = chunks.find(({ span: [start, end] }) => start <= at && at < end)
        const found = chunk?.anchors.map((anchor) => (anchor as Readonly<Record<string, unknown>>)[unit])
        expect(found, `seed ${seed}, ${word}`).toContain(position)
      }
    }
  })

  test('keep a picture without a box in the text around it', async () => {
    const markdown = 'Before the picture.\n\n![Oak gate](https://example.org/gate.png)\n\nAfter it.\n'
    const store = await storeOf('page.html', { markdown, blocks: anchoredBlocks(markdown, []) ?? [] })
    await using corpus = await openCorpus(store)
    const chunks = await collect(corpus.chunks())
    expect(chunks.map(({ kind, body }) => ({ kind, body }))).toEqual([{ kind: 'text', body: markdown.trimEnd() }])
  })

  test('cite sections by number and title, and nothing without anchors in the answer', async () => {
    const markdown = 'Before.\n\n## One\n\nText of one.\n\n## Two\n\nText of two.\n'
    const store = await storeOf('page.html', { markdown, blocks: anchoredBlocks(markdown, []) ?? [] })
    const files = renderOutputs({ markdown }, sourceKey('plain.html'))
    await store.documents.commit(recordOf('plain.html', files), files)
    await using corpus = await openCorpus(store)
    const chunks = await collect(corpus.chunks())
    const anchorsOf = (key: string): unknown => chunks.find(({ document }) => document === key)?.anchors
    expect(anchorsOf('page.html')).toEqual([
      { section: 0, title: null },
      { section: 1, title: 'One' },
      { section: 2, title: 'Two' },
    ])
    expect(anchorsOf('plain.html')).toEqual([])
  })
})

function isIn(cell: string, range: string): boolean {
  const { r, c } = utils.decode_cell(cell)
  const { s: first, e: last } = utils.decode_range(range)
  return first.r <= r && r <= last.r && first.c <= c && c <= last.c
}

const rowsIn = (anchors: readonly { readonly range: string | null }[]): number =>
  anchors.reduce((sum, { range }) => {
    const { s: first, e: last } = utils.decode_range(range ?? '')
    return sum + last.r - first.r + 1
  }, 0)
