import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSettings } from '#config/load.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { sluice } from '../support/sluice.ts'
import { listen } from '../support/listen.ts'
import { parseLines } from '../support/json-lines.ts'

test.each([
  [{ out: '' }, '--out is empty: check the shell variable that holds it'],
  [{ concurrency: 'many' }, '--concurrency: a number is needed (given: many)'],
  [{ concurrency: '0' }, '--concurrency: it must be 1 or more (given: 0)'],
  [
    { formats: 'markdown,pdf' },
    '--formats: it must be one of markdown, summary, html, rawHtml, links, images, json (given: pdf)',
  ],
  [{ options: "{'a':1}" }, "--options: JSON is needed, with double quotes around names and texts (given: {'a':1})"],
  [{ rules: '{bad' }, '--rules: JSON is needed, with double quotes around names and texts (given: {bad)'],
  [
    { exclude: '~/papers/old' },
    '--exclude: globs are relative to the source: leave out the path of the source, "/" and "~/" (given: ~/papers/old)',
  ],
  [
    { include: '/srv/a.pdf' },
    '--include: globs are relative to the source: leave out the path of the source, "/" and "~/" (given: /srv/a.pdf)',
  ],
  [{ mode: 'orc' }, '--mode: it must be one of fast, auto, ocr (given: orc)'],
])('the command line refuses the settings %j in plain words', (flags, problem) => {
  expect(loadSettings(flags, {}, {})).toEqual({ ok: false, problems: [problem] })
})

test.each([
  [['run', ''], 'sluice: the source is empty: check the shell variable that holds it\n'],
  [['run', 'www.example.com'], 'For a website, add the scheme: https://www.example.com'],
  [['run', 'papers', 'out'], '(The command takes one source; give the output folder with --out)'],
  [['failures', 'papers'], '(The command takes no source: give the store with --out, as in the run)'],
  [
    ['run', 'papers', 'more', '--formats', 'markdown'],
    '(Commas separate the values of a list: --formats markdown,html)',
  ],
  [
    ['run', 'papers', '--formats', '--out', 'out'],
    '(--formats needs a value, such as --formats markdown,summary; --help describes it)',
  ],
  [['run', 'papers', '--out'], '(--out needs a value, such as --out corpus; --help describes it)'],
  [['run', 'papers', '-o', 'out'], '(Did you mean --out?)'],
  [['engine', '--port', '99999'], '  --port: it must be 65535 or less (given: 99999)'],
  [['run', 'papers', '--rescan', '1h'], '(Only watch has this flag: sluice watch)'],
  [['run', 'papers', '--checksum'], '(--checksum was removed: set detectChanges to content)'],
  [
    ['run', 'papers', '--store-slow-ms', '9'],
    '(--store-slow-ms was removed: Sluice reports writes to the store that take 10 s)',
  ],
  [['verify', '--remove-strays'], '(The flag is called --remove-orphans)'],
  [['run', 'papers', '--grace', '5'], 'A duration needs a unit: 5s for seconds, 5ms for milliseconds.'],
  [['help', 'rnu'], "error: unknown command 'rnu'\n(Did you mean run?)"],
])('the command line refuses the command %j with the hint that helps', async (words, hint) => {
  await using folder = await tempFolder()
  const { code, stderr } = await sluice(words, { cwd: folder.path })
  expect([code, stderr]).toEqual([1, expect.stringContaining(hint)])
})

test('status corrects a mistyped source, and failures, retry and run name the next command', async () => {
  await using folder = await tempFolder()
  await mkdir(join(folder.path, 'docs'))
  await writeFile(join(folder.path, 'docs/broken.pdf'), 'nope')
  const [cwd, source, at] = [folder.path, join(folder.path, 'docs'), ['--out', 'corpus']]
  const ran = await sluice(['run', source, ...at], { cwd })
  expect(ran.stdout.split(`parse them again: sluice retry ${source} --out corpus`).length).toBe(2)
  const mistyped = await sluice(['status', `${folder.path}/dosc`, ...at], { cwd })
  expect(mistyped.stderr).toContain(`Did you mean ${source}?`)
  expect((await sluice(['status', source], { cwd })).stderr).toContain('Give the store with --out')
  const listed = await sluice(['failures', ...at], { cwd })
  expect(listed.stdout).toContain(`  sluice retry ${source} --out corpus\n`)
  const retried = await sluice(['retry', source, ...at, '--code', 'timeout'], { cwd })
  expect([retried.code, retried.stdout]).toEqual([0, 'no failure has the code timeout\n'])
})

test('the command line refuses an occupied engine port and a duplicate name in sluice.yaml in one sentence', async () => {
  await using folder = await tempFolder()
  await using server = await listen(createServer())
  const { port } = server
  const engine = await sluice(['engine', '--port', String(port)], { cwd: folder.path })
  expect([engine.code, engine.stdout]).toEqual([1, ''])
  expect(engine.stderr).toBe(
    `sluice: --port ${port} (--host 127.0.0.1): another program already listens there. Choose another port.\n`,
  )
  await writeFile(join(folder.path, 'sluice.yaml'), 'out: a\nmode: ocr\nout: b\n')
  const twice = await sluice(['config'], { cwd: folder.path })
  expect([twice.code, twice.stderr]).toEqual([
    1,
    expect.stringContaining('sluice.yaml:3: out is set twice: remove one'),
  ])
})

test('a run of several pipelines names a broken one with a summary, and names a rule without documents', async () => {
  await using folder = await tempFolder()
  for (const name of ['a', 'b']) {
    await mkdir(join(folder.path, name))
    await writeFile(join(folder.path, name, 'a.csv'), 'name\n1\n')
  }
  const pipelines = ['a', 'b', 'c'].map((name) => `  ${name}: { source: ${name}, out: out-${name} }\n`).join('')
  const rules = "rules:\n  - { match: '*.xhtmll', options: { onlyMainContent: true } }\n"
  await writeFile(join(folder.path, 'sluice.yaml'), `${rules}pipelines:\n${pipelines}`)
  const run = await sluice(['run', '--json'], { cwd: folder.path })
  const events = parseLines<Record<string, unknown>>(run.stdout)
  expect(run.code).toBe(1)
  expect(events).toContainEqual({ event: 'error', pipeline: 'c', message: expect.stringContaining('no such file') })
  expect(events.filter(({ event }) => event === 'summary').map(({ pipeline, end }) => [pipeline, end])).toEqual([
    ['a', 'complete'],
    ['b', 'complete'],
    ['c', 'broken'],
  ])
  expect(JSON.stringify(events)).toContain('*.xhtmll')
  const failures = await sluice(['failures', '--json'], { cwd: folder.path })
  expect([failures.code, parseLines<Record<string, unknown>>(failures.stdout)]).toEqual([
    1,
    [{ event: 'error', pipeline: 'c', message: expect.any(String) }],
  ])
}, 240_000)

test('a run does not remember a refused source, and explains why it finds no document', async () => {
  await using folder = await tempFolder()
  const papers = join(folder.path, 'papers')
  await mkdir(papers)
  await writeFile(join(papers, 'a.csv'), 'name\n1\n')
  const options = { cwd: folder.path, env: { XDG_STATE_HOME: join(folder.path, 'state') } }
  const run = await sluice(['run', 'papers', '--include', 'csv'], options)
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('no document was found: --include and --exclude')])
  expect((await sluice(['run', 'papers', '--out', 'papers'], options)).code).toBe(1)
  const status = await sluice(['status'], options)
  expect([status.code, status.stderr]).toEqual([0, ''])
}, 240_000)
