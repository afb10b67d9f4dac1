import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { exportChunks } from '#src/corpus/export/export-chunks.ts'
import type { ExportOptions } from '#src/corpus/export/export-options.ts'
import type { ExportTally } from '#src/corpus/export/export-manifest.ts'
import { sourceKey } from '#src/document/ids.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { outputs, recordOf } from '../support/documents.ts'
import { withMethods } from '../support/with-methods.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { wordCounter } from './support/word-counter.ts'
import { seedFrom } from '../support/seed.ts'
import { parseLines, readLines } from '../support/json-lines.ts'

const FIRST_SEED = seedFrom('SINCE_SEED', 1)

const ROOT = resolve(import.meta.dirname, '../..')

const FILTER = { key: (): boolean => true, outcome: null, gone: false }

async function exported(store: OutputStore, to: string, changes: Partial<ExportOptions> = {}): Promise<ExportTally> {
  const options = {
    counter: wordCounter,
    limit: 64,
    overlap: 0,
    format: 'jsonl',
    filter: FILTER,
    filterText: {},
    since: null,
    hygiene: false,
    where: null,
    context: null,
    figures: null,
  } as const
  return exportChunks(store, { ...options, to, ...changes }, () => undefined, new AbortController().signal)
}

interface Line {
  readonly id: string
  readonly document: string
}

/** What a vector store holds: the chunks by their ids. */
type Index = ReadonlyMap<string, Line>

/** The same by ids alone: what a vector store does that cannot delete by a field. */
async function appliedById(index: Index, folder: string): Promise<Index> {
  const chunks = await readLines<Line>(join(folder, 'chunks.jsonl'))
  const tombstones = await readLines<{ chunks: readonly string[] }>(join(folder, 'tombstones.jsonl'))
  const ended = tombstones.flatMap((tombstone) => tombstone.chunks)
  expect(ended.filter((id) => !index.has(id) || chunks.some((chunk) => chunk.id === id))).toEqual([])
  const left = [...index].filter(([id]) => !ended.includes(id))
  return new Map([...left, ...chunks.map((chunk) => [chunk.id, chunk] as const)])
}

/** The three steps of docs/guide/retrieval.md. */
async function applied(index: Index, folder: string): Promise<Index> {
  const chunks = await readLines<Line>(join(folder, 'chunks.jsonl'))
  const tombstones = await readLines<{ document: string }>(join(folder, 'tombstones.jsonl'))
  const ended = new Set(tombstones.map(({ document }) => document))
  const left = [...index].filter(([, { document }]) => !ended.has(document))
  return new Map([...left, ...chunks.map((chunk) => [chunk.id, chunk] as const)])
}

const sorted = (index: Index): unknown => [...index.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))

async function doAnything(store: OutputStore, random: Random): Promise<void> {
  const key = `${random.below(8)}.pdf`
  const roll = random.below(6)
  if (roll === 0) return store.documents.remove(sourceKey(key))
  const text = Array.from({ length: 1 + random.below(5) }, () => `${random.below(9)} word `.repeat(20)).join('\n\n')
  const files = outputs(roll === 1 ? { 'document.html': text } : { 'document.md': text })
  const outcome = random.below(4) === 0 ? 'partial' : 'done'
  const gone = roll === 2 ? { goneAt: '2026-11-22T00:00:00.000Z' } : {}
  return store.documents.commit(recordOf(key, files, { outcome, ...gone }), files)
}

/** A store in a folder, beside which exports are written. */
async function storeOf({ keys, markdown = 'text' }: { readonly keys: readonly string[]; readonly markdown?: string }) {
  const folder = await tempFolder()
  const at = (name: string): string => join(folder.path, name)
  const store = await openFolderStore({ path: at('store') })
  const files = outputs({ 'document.md': markdown })
  for (const key of keys) await store.documents.commit(recordOf(key, files), files)
  return { at, store, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

describe('an incremental export', () => {
  test('updates a copy of the chunks to the content of a full export, with any filter', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 3; seed++) {
      await using folder = await tempFolder()
      const random = new Random(seed)
      const store = await openFolderStore({ path: join(folder.path, 'store') })
      const filter = { ...FILTER, gone: seed % 2 === 0, outcome: seed % 3 === 0 ? ('done' as const) : null }
      const at = (name: string): string => join(folder.path, name)
      await exported(store, at('0'), { filter })
      let [index, byId]: [Index, Index] = [new Map(), new Map()]
      for (let round = 1; round < 6; round++) {
        for (let step = random.below(6); step > 0; step--) await doAnything(store, random)
        await exported(store, at(`${round}`), { filter, since: at(`${round - 1}`) })
        index = await applied(index, at(`${round}`))
        byId = await appliedById(byId, at(`${round}`))
        await exported(store, at('whole'), { filter })
        const whole = await readLines<Line>(at('whole/chunks.jsonl'))
        const expected = sorted(new Map(whole.map((chunk) => [chunk.id, chunk])))
        expect({ seed, round, index: sorted(index) }).toEqual({ seed, round, index: expected })
        expect({ seed, round, index: sorted(byId) }).toEqual({ seed, round, index: expected })
        const ids = (await readLines<{ chunks: string[] }>(at(`${round}/ids.jsonl`))).flatMap(({ chunks }) => chunks)
        expect({ seed, round, ids: ids.toSorted() }).toEqual({ seed, round, ids: [...byId.keys()].toSorted() })
      }
    }
  })

  test('writes lines, a manifest and feed segments that match the published schemas', async () => {
    await using opened = await storeOf({ keys: ['a.pdf', 'b.pdf'] })
    const { at, store } = opened
    await exported(store, at('first'))
    await store.documents.remove(sourceKey('a.pdf'))
    const { cursor } = await exported(store, at('second'), { since: at('first') })
    expect(cursor).toMatch(/^[0-9a-f]{8}\.2$/)
    const known = await readLines<{ document: string; chunks: string[] }>(at('first/ids.jsonl'))
    const ids = known.find(({ document }) => document === 'a.pdf')
    expect(await readLines(at('second/tombstones.jsonl'))).toEqual([
      { document: 'a.pdf', change: 'removed', chunks: ids?.chunks },
    ])
    const { cursor: first } = JSON.parse(await readFile(at('first/manifest.json'), 'utf8')) as { cursor: string }
    await exported(store, at('third'), { since: first })
    expect(await readLines(at('third/tombstones.jsonl'))).toEqual([
      { document: 'a.pdf', change: 'removed', chunks: null },
    ])
    await expectSchema('ids-line', await readLines(at('first/ids.jsonl')))
    const segment = gunzipSync(await readFile(at('store/changes/0000000001.jsonl.gz'))).toString()
    await expectSchema('changes-line', parseLines(segment))
    await expectSchema('tombstones-line', await readLines(at('second/tombstones.jsonl')))
    await expectSchema('export-manifest', [JSON.parse(await readFile(at('second/manifest.json'), 'utf8'))])
  })

  test('refuses an earlier export whose ids were altered', async () => {
    await using opened = await storeOf({ keys: ['a.pdf', 'b.pdf'] })
    const { at, store } = opened
    await exported(store, at('first'))
    const [line = ''] = (await readFile(at('first/ids.jsonl'), 'utf8')).split('\n')
    for (const altered of [`${line}\n`, `${line}\n{"docu`]) {
      await writeFile(at('first/ids.jsonl'), altered)
      await expect(exported(store, at('second'), { since: at('first') })).rejects.toThrow(
        /ids\.jsonl .*: start again with a full export, without --since$/,
      )
    }
  })

  test.each(['langchain', 'llamaindex'] as const)('has the shape of %s on request', async (format) => {
    await using opened = await storeOf({ keys: ['a.pdf'], markdown: '# Title\n\nText.' })
    const { at, store } = opened
    await exported(store, at('own'))
    await exported(store, at('other'), { format })
    const [own] = await readLines<Line & { readonly contentHash: string }>(at('own/chunks.jsonl'))
    const metadata = expect.objectContaining({
      source: 'a.pdf',
      title: 'Title',
      sourceAddress: 'file:///archive/',
    }) as unknown
    const lines = {
      langchain: { id: own?.id, page_content: '# Title\n\nText.', metadata, type: 'Document' },
      llamaindex: {
        id_: own?.id,
        text: '# Title\n\nText.',
        metadata,
        start_char_idx: 0,
        end_char_idx: 14,
        relationships: { 1: { node_id: 'a.pdf', node_type: '4', hash: own?.contentHash } },
        class_name: 'TextNode',
      },
    }
    expect(await readLines(at('other/chunks.jsonl'))).toMatchObject([lines[format]])
    await expectSchema('export-manifest', [JSON.parse(await readFile(at('other/manifest.json'), 'utf8'))])
  })

  test('contains a document again after its files were damaged', async () => {
    await using opened = await storeOf({ keys: ['a.pdf'] })
    const { at, store } = opened
    const documents = withMethods(store.documents, { readOutput: async () => Buffer.from('other') })
    const damaged: OutputStore = { ...store, documents }
    expect((await exported(damaged, at('first'))).damaged).toEqual([{ kind: 'files', key: 'a.pdf' }])
    expect(await exported(store, at('second'), { since: at('first') })).toMatchObject({ chunks: 1, damaged: [] })
  })

  test('is refused when its chunks would not match those of the earlier export', async () => {
    await using opened = await storeOf({ keys: [] })
    const { at, store } = opened
    await exported(store, at('first'))
    await expect(exported(store, at('second'), { since: at('first'), limit: 100 })).rejects.toThrow(
      'made with limit 64, not 100',
    )
    await expect(exported(store, at('second'), { since: 'aaaaaaaa.0' })).rejects.toThrow('belongs to another store')
    await expect(exported(store, at('second'), { since: at('none') })).rejects.toThrow('no manifest.json')
  })

  test('is full and without a cursor when the feed cannot be written, and states the cause', async () => {
    await using opened = await storeOf({ keys: ['a.pdf'] })
    const { at, store } = opened
    await writeFile(at('store/changes'), 'in the way of the folder')
    const tally = await exported(store, at('first'))
    expect(tally).toMatchObject({
      chunks: 1,
      cursor: null,
      cursorProblem: expect.stringMatching(/EEXIST|ENOTDIR/) as string,
    })
    await expect(exported(store, at('second'), { since: at('first') })).rejects.toThrow('has no cursor')
  })
})

async function expectSchema(name: string, values: readonly unknown[]): Promise<void> {
  const schema = JSON.parse(await readFile(join(ROOT, `docs/schemas/${name}.schema.json`), 'utf8')) as object
  const validate = new Ajv2020({ strict: false }).compile(schema)
  for (const value of values) expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
  expect(values.length).toBeGreaterThan(0)
}
