import { Ajv2020 } from 'ajv/dist/2020.js'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { lstat, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEncoding } from '#src/corpus/tokens/open-counter.ts'
import { sourceKey } from '#src/document/ids.ts'
import { openStoreAt } from '../support/open-store-at.ts'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { readLines } from '../support/json-lines.ts'

const ROOT = resolve(import.meta.dirname, '../..')

interface Line {
  readonly [name: string]: unknown
  readonly id: string
  readonly document: string
  readonly kind: string
  readonly text: string
  readonly body: string
  readonly tokens: number
  readonly markdownSpan: readonly [number, number]
}

const linesOf = <T = Line>(path: string): Promise<T[]> => readLines<T>(path)

describe('sluice export --chunks', { timeout: 240_000 }, () => {
  const folder = tempFolder()
  let at = ''
  const exported = async (...args: readonly string[]) => sluice(['export', '--chunks', ...args], { cwd: at })

  beforeAll(async () => {
    at = (await folder).path
    await mkdir(join(at, 'papers'))
    const names = ['annual-report.pdf', 'boat-passages.csv']
    for (const name of names) await writeFile(join(at, 'papers', name), await readFile(join(ROOT, 'samples', name)))
    await writeFile(join(at, 'papers/notes.md'), '# Notes\n\nOne line.\n')
    const { code, stderr } = await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at })
    expect(code, stderr).toBe(0)
  }, 240_000)
  afterAll(async () => (await folder)[Symbol.asyncDispose]())

  test('writes only the columns of --columns, and refuses unknown ones', async () => {
    const columns = ['--columns', 'text,id', '--columns', 'document']
    expect((await exported('--out', 'corpus', '--to', 'few', ...columns)).code).toBe(0)
    const [line] = await linesOf<object>(join(at, 'few/chunks.jsonl'))
    expect(Object.keys(line ?? {})).toEqual(['id', 'text', 'document'])
    expect((await exported('--out', 'corpus', '--to', 'few-rows', '--format', 'parquet', ...columns)).code).toBe(0)
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(at, 'few-rows/chunks.parquet')) })
    expect(Object.keys(rows[0] ?? {})).toEqual(['id', 'text', 'document'])
    const mistyped = await exported('--out', 'corpus', '--to', 'none', '--columns', 'tex')
    expect([mistyped.code, mistyped.stderr]).toEqual([
      1,
      expect.stringContaining('--columns: there is no column "tex"; did you mean "text"? The columns are id, kind,'),
    ])
    const shaped = await exported('--out', 'corpus', '--to', 'none', '--columns', 'id', '--format', 'langchain')
    expect([shaped.code, shaped.stderr]).toEqual([1, expect.stringContaining('--columns is for --format jsonl and')])
  })

  test('writes chunks that slice the Markdown and match the published schemas', async () => {
    const { code, stdout } = await exported('--out', 'corpus', '--to', 'chunks', '--limit', '128')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d+ chunks of 3 documents, [\d,]+ tokens\nwritten: chunks\n$/)
    const chunks = await linesOf(join(at, 'chunks/chunks.jsonl'))
    const documents = await linesOf<{
      document: string
      characters: number
      exclusions: { markdownSpan: [number, number] }[]
    }>(join(at, 'chunks/documents.jsonl'))
    const manifest = JSON.parse(await readFile(join(at, 'chunks/manifest.json'), 'utf8')) as object
    expect(
      await breaches({ 'chunks-line': chunks, 'export-documents-line': documents, 'export-manifest': [manifest] }),
    ).toEqual([])
    const counter = await openEncoding('o200k_base')
    const store = await openStoreAt({ kind: 'folder', path: join(at, 'corpus') })
    for (const { document, body, text, tokens, markdownSpan } of chunks) {
      const markdown = await store.documents.readOutput(sourceKey(document), 'document.md')
      expect(markdown?.toString('utf8').slice(...markdownSpan)).toBe(body)
      expect([counter.count(text), tokens <= 128]).toEqual([tokens, true])
    }
    for (const { document, characters, exclusions } of documents) {
      const spans = chunks.filter((chunk) => chunk.document === document).map(({ markdownSpan }) => markdownSpan)
      const all = [...spans, ...exclusions.map(({ markdownSpan }) => markdownSpan)]
      expect(all.reduce((sum, [start, end]) => sum + end - start, 0)).toBe(characters)
    }
    expect(chunks.find(({ kind }) => kind === 'table')).toMatchObject({ outcome: 'done', table: { firstRow: 1 } })
    expect(chunks.find(({ document }) => document === 'annual-report.pdf')).toMatchObject({
      pages: [1],
      boxes: [{ page: 1 }],
      parser: { class: 'embedded' },
      title: 'Annual report 2024',
    })
  })

  test('gives equal chunks equal ids, and replaces the former export completely', async () => {
    await exported('--out', 'corpus', '--to', 'again')
    const before = await linesOf(join(at, 'again/chunks.jsonl'))
    expect(new Set(before.map(({ id }) => id)).size).toBe(before.length)
    // What a crash between two renames leaves.
    await rename(join(at, 'again'), join(at, 'again.former'))
    expect((await exported('--out', 'corpus', '--to', 'again')).code).toBe(0)
    const after = await linesOf(join(at, 'again/chunks.jsonl'))
    expect(after.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted())
    expect((await readdir(at)).filter((name) => name.startsWith('again'))).toEqual(['again'])
    expect((await readdir(join(at, 'again'))).toSorted()).toEqual([
      'chunks.jsonl',
      'documents.jsonl',
      'ids.jsonl',
      'manifest.json',
    ])
  })

  test('writes the same chunks as Parquet', async () => {
    await exported('--out', 'corpus', '--to', 'lines')
    expect((await exported('--out', 'corpus', '--to', 'columns', '--format', 'parquet')).code).toBe(0)
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(join(at, 'columns/chunks.parquet')) })
    // This reader gives a list that is null as undefined.
    const rows = read.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])),
    )
    const inOrder = (lines: readonly Readonly<Record<string, unknown>>[]) =>
      lines.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1))
    expect(inOrder(rows)).toEqual(inOrder(await linesOf(join(at, 'lines/chunks.jsonl'))))
    const manifest = JSON.parse(await readFile(join(at, 'columns/manifest.json'), 'utf8')) as { files: object[] }
    expect(manifest.files[0]).toMatchObject({ name: 'chunks.parquet', rows: rows.length })
  })

  test('exports the documents that --key names, and reports how many it omitted', async () => {
    const { stdout } = await exported('--out', 'corpus', '--to', 'some', '--key', '*.md', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ event: 'exported', documents: 1, filtered: 2, damaged: 0 })
    expect((await linesOf(join(at, 'some/chunks.jsonl'))).map(({ text }) => text)).toEqual(['# Notes\n\nOne line.'])
  })

  /** Exports while a file of a document holds something else. */
  async function exportedWith(name: string, content: string, to: string) {
    const file = join(at, 'corpus/documents/boat-passages.csv', name)
    const whole = await readFile(file)
    await writeFile(file, content)
    const result = await exported('--out', 'corpus', '--to', to)
    await writeFile(file, whole)
    return result
  }

  test('names a document whose files differ from its record, and exits with 2', async () => {
    const { code, stdout } = await exportedWith('document.md', 'altered', 'damaged')
    expect(code).toBe(2)
    expect(stdout).toContain('boat-passages.csv: its files do not match its record; run verify --repair')
    expect(stdout).toContain('left out: 1 document damaged')
  })

  test('names a document whose record cannot be read, and exits with 2', async () => {
    const { code, stdout } = await exportedWith('record.json', '{half', 'half')
    expect(code).toBe(2)
    expect(stdout).toContain('documents/boat-passages.csv: its record.json cannot be read')
  })

  test('refuses a record of a later release in one sentence', async () => {
    const { code, stderr } = await exportedWith('record.json', '{"schema":99,"key":"boat-passages.csv"}', 'later')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^sluice: the record of .* update Sluice\.\n$/s)])
  })

  test('refuses a folder with a foreign file, and follows a link', async () => {
    await exported('--out', 'corpus', '--to', 'mixed')
    await symlink('mixed', join(at, 'linked'))
    expect((await exported('--out', 'corpus', '--to', 'linked')).code).toBe(0)
    expect((await lstat(join(at, 'linked'))).isSymbolicLink()).toBe(true)
    await writeFile(join(at, 'mixed/mine.txt'), 'a note')
    const { code, stderr } = await exported('--out', 'corpus', '--to', 'mixed')
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('holds "mine.txt", which is not part of the export'),
    ])
    expect(await readFile(join(at, 'mixed/mine.txt'), 'utf8')).toBe('a note')
  })

  test.each([
    [['--to', 'x', '--limit', '63'], '--limit takes a whole number from 64 to 8,192, not "63"'],
    [['--to', 'x', '--overlap', '200'], '--overlap takes a whole number from 0 to 128, not "200"'],
    [['--to', 'x', '--tokenizer', 'gpt-9'], '--tokenizer "gpt-9" is unknown'],
    [['--to', 'x', '--format', 'csv'], '--format takes one of jsonl, parquet, langchain, llamaindex, not "csv"'],
    [['--to', 'x', '--outcome', 'failed'], '--outcome takes done or partial, not "failed"'],
    [['--to', 'papers'], '--to papers is not empty and holds no export'],
    [['--to', 'papers/notes.md'], '--to papers/notes.md is a file'],
  ])('refuses %j in one sentence and writes nothing', async (args, message) => {
    const { code, stderr, stdout } = await exported('--out', 'corpus', ...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message)
    expect(await readdir(at)).not.toContain('x')
  })

  test('is suggested by sluice export without a kind', async () => {
    const { code, stderr } = await sluice(['export', '--out', 'corpus'], { cwd: at })
    expect([code, stderr]).toEqual([1, 'sluice: export needs to know what to export: add --chunks\n'])
  })
})

async function breaches(of: Readonly<Record<string, readonly object[]>>): Promise<string[]> {
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  const found: string[] = []
  for (const [name, values] of Object.entries(of)) {
    const validate = ajv.compile(
      JSON.parse(await readFile(join(ROOT, 'docs/schemas', `${name}.schema.json`), 'utf8')) as object,
    )
    for (const value of values) if (!validate(value)) found.push(`${name}: ${ajv.errorsText(validate.errors)}`)
  }
  return found
}
