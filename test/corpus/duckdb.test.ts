import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportChunks } from '#src/corpus/export/export-chunks.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { CHUNK_COLUMNS } from '#src/corpus/export/parquet-columns.ts'
import { outputs, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { wordCounter } from './support/word-counter.ts'
import { randomDocument } from './support/random-document.ts'
import { readLines } from '../support/json-lines.ts'

type Row = Readonly<Record<string, unknown>>

/** What DuckDB answers to a query; a reason where its native part is not made for this machine. */
async function openDuckDb(): Promise<((sql: string) => Promise<readonly Row[]>) | string> {
  try {
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } catch (error) {
    return `DuckDB has no part for this machine: ${String(error).split('\n')[0]}`
  }
}

/** Documents as a parser leaves them, with layout or pages, tables and odd texts. */
async function storeOf(random: Random, documents: number): Promise<MemoryStore> {
  const store = new MemoryStore()
  for (let number = 0; number < documents; number++) {
    const { markdown, blocks, pages } = randomDocument(random)
    const lines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
    const layout = blocks.map(({ page, span, ...block }) => ({ ...block, pageNumber: page, markdownSpan: span }))
    const files = outputs({
      'document.md': markdown,
      ...(blocks.length > 0
        ? { 'blocks.jsonl': lines(layout) }
        : { 'pages.jsonl': lines(pages.map(({ page, markdown: text }) => ({ pageNumber: page, markdown: text }))) }),
    })
    const grade = { grade: 0.5, pages: [0.25, 0.75] } as never
    await store.documents.commit(recordOf(`${number}.pdf`, files, random.below(2) === 0 ? { grade } : {}), files)
  }
  return store
}

const query = await openDuckDb()

/** A lone half of a surrogate pair is no UTF-8: both files have U+FFFD instead of it. */
const wellFormed = (line: unknown): Row =>
  JSON.parse(JSON.stringify(line), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  ) as Row

describe('chunks.parquet', () => {
  if (typeof query === 'string') {
    console.warn(`skipped: ${query}`)
    test.skip(`in DuckDB (${query})`)
    return
  }

  test('has in DuckDB the columns, types and values of chunks.jsonl', async () => {
    await using folder = await tempFolder()
    const store = await storeOf(new Random(22), 4)
    const filter = { key: (): boolean => true, outcome: null, gone: false }
    const options = {
      counter: wordCounter,
      limit: 64,
      overlap: 8,
      filter,
      filterText: {},
      since: null,
      where: null,
      context: null,
      figures: null,
    }
    const written = async (format: 'jsonl' | 'parquet') => {
      const to = join(folder.path, format)
      const asked = { ...options, to, format, hygiene: true }
      return exportChunks(store, asked, () => undefined, new AbortController().signal)
    }
    await written('jsonl')
    const { chunks } = await written('parquet')
    const lines = await readLines<ChunkLine>(join(folder.path, 'jsonl/chunks.jsonl'))
    const file = `'${join(folder.path, 'parquet/chunks.parquet')}'`

    const described = await query(`DESCRIBE SELECT * FROM ${file}`)
    const types = Object.fromEntries(described.map((row) => [row['column_name'], row['column_type']]))
    const expected = {
      text: 'VARCHAR',
      whole: 'INTEGER',
      number: 'DOUBLE',
      flag: 'BOOLEAN',
      texts: 'VARCHAR[]',
      wholes: 'INTEGER[]',
      json: 'JSON',
    }
    expect(types).toEqual(Object.fromEntries(CHUNK_COLUMNS.map(({ name, type }) => [name, expected[type]])))

    const json = CHUNK_COLUMNS.flatMap(({ name, type }) => (type === 'json' ? [name as string] : []))
    const rows = (await query(`SELECT * FROM ${file}`)).map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          json.includes(name) && typeof value === 'string' ? (JSON.parse(value) as unknown) : value,
        ]),
      ),
    )
    expect(rows.length).toBe(chunks)
    expect(rows.map(wellFormed)).toEqual(lines.map(wellFormed))

    const [sums] = await query(`
      SELECT CAST(sum(tokens) AS INTEGER) AS tokens, CAST(count(*) FILTER (list_contains(pages, 1)) AS INTEGER) AS page,
             CAST(count(*) FILTER ((boxes->'$[0].bbox') IS NOT NULL) AS INTEGER) AS boxed FROM ${file}`)
    expect(sums).toEqual({
      tokens: lines.reduce((sum, { tokens }) => sum + tokens, 0),
      page: lines.filter(({ pages }) => pages.includes(1)).length,
      boxed: lines.filter(({ boxes }) => boxes.length > 0).length,
    })
  })
})
