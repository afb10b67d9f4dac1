import { Ajv2020 } from 'ajv/dist/2020.js'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { parseLines } from '../support/json-lines.ts'

const ROOT = resolve(import.meta.dirname, '../..')

describe('sluice search', { timeout: 240_000 }, () => {
  const folder = tempFolder()
  let at = ''
  const searched = async (...args: readonly string[]) =>
    sluice(['search', ...args, '--out', 'corpus'], { cwd: at, env: { SLUICE_CACHE_DIR: join(at, 'cache') } })

  beforeAll(async () => {
    at = (await folder).path
    await mkdir(join(at, 'papers'))
    const report = await readFile(join(ROOT, 'samples/annual-report.pdf'))
    await writeFile(join(at, 'papers/annual-report.pdf'), report)
    await writeFile(join(at, 'papers/notes.md'), '# Notes\n\nOne line.\n')
    await writeFile(join(at, 'papers/broken.pdf'), 'not a PDF')
    const { code, stderr } = await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at })
    expect(code, stderr).toBe(2)
  }, 240_000)
  afterAll(async () => (await folder)[Symbol.asyncDispose]())

  test('prints hits with page, headings, snippet and link, and the coverage last', async () => {
    const { code, stdout, stderr } = await searched('cost of Gannet Lock', '--limit', '1')
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(
      /^1\. annual-report\.pdf, page \d\n {3}Annual report .*Gannet Lock.*\n {3}.+\n {3}characters \d+-\d+; document\?key=annual-report\.pdf&page=\d&span=\S+\n/,
    )
    expect(stdout).toMatch(/\nthe first hit in 2 documents; 1 document failed\n$/)
  })

  test('prints events that match the published schema with --json', async () => {
    const { stdout } = await searched('"one line"', '--json')
    const schema = JSON.parse(await readFile(join(ROOT, 'docs/schemas/output-line.schema.json'), 'utf8')) as object
    const isValid = new Ajv2020({ strict: false }).compile(schema)
    const lines = parseLines<{ event: string; document?: string; examples?: unknown }>(stdout)
    expect(lines.map(({ event, document }) => [event, document])).toEqual([
      ['hit', 'notes.md'],
      ['searched', undefined],
    ])
    expect(lines.filter((line) => !isValid(line))).toEqual([])
    expect(lines[1]?.examples).toEqual([{ document: 'broken.pdf', reason: 'failed' }])
  })

  test('finds a new document, and without an update none', async () => {
    await writeFile(join(at, 'papers/more.md'), '# More\n\nA pelican.\n')
    await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at })
    expect((await searched('pelican', '--no-update')).stdout).toBe('0 hits in 2 documents; 1 document failed\n')
    expect((await searched('pelican')).stdout).toContain('1. more.md\n')
  })

  test.each([
    [['--', '-excluded'], 'the question has no word to search for'],
    [['word', '--group', 'page'], '--group takes document, not "page"'],
    [['word', '--limit', '0'], '--limit'],
    [['word', '--where', "language = 'en'"], 'the index has no column language'],
  ])('refuses %j', async (words, message) => {
    const args = words[0] === '--' ? ['search', '--out', 'corpus', ...words] : ['search', ...words, '--out', 'corpus']
    const { code, stderr } = await sluice(args, { cwd: at, env: { SLUICE_CACHE_DIR: join(at, 'cache') } })
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })
})
