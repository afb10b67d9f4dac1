import { Ajv2020 } from 'ajv/dist/2020.js'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sluice, startSluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { parseLines } from '../support/json-lines.ts'
import { until } from '../support/wait.ts'

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
    expect(isValid({ ...lines[0], other: 1 })).toBe(false)
    const { rank: _rank, ...incomplete } = lines[0] as unknown as Record<string, unknown>
    expect(isValid(incomplete)).toBe(false)
  })

  test('--open starts the browser of the desktop at the best hit', async () => {
    await mkdir(join(at, 'bin'), { recursive: true })
    const browser = `#!${process.execPath}
const { writeFileSync, renameSync } = require('node:fs')
fetch(process.argv[2]).then(async (page) => {
  writeFileSync('page.tmp', JSON.stringify({ url: process.argv[2], status: page.status, text: await page.text() }))
  renameSync('page.tmp', 'page.json')
})
`
    for (const name of ['xdg-open', 'open']) await writeFile(join(at, 'bin', name), browser, { mode: 0o755 })
    const running = startSluice(['search', '"one line"', '--out', 'corpus', '--open'], {
      cwd: at,
      env: { SLUICE_CACHE_DIR: join(at, 'cache'), PATH: `${join(at, 'bin')}:${process.env['PATH'] ?? ''}` },
    })
    await until('the browser has loaded the page', 60_000, () => existsSync(join(at, 'page.json')))
    running.child.kill('SIGINT')
    const { code, stdout } = await running.finished
    const page = JSON.parse(await readFile(join(at, 'page.json'), 'utf8')) as Record<'url' | 'text', string>
    expect(page).toMatchObject({ status: 200, text: expect.stringMatching(/Cited:<\/strong> characters \d+ to \d+/) })
    expect(page.text).toContain('notes.md')
    expect(stdout).toContain(`\n${page.url}\n`)
    expect(code).toBe(0)
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
