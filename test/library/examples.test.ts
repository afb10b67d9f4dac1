import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startChatService } from '../support/chat-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { parseLines } from '../support/json-lines.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const ENTRIES: Readonly<Record<string, string>> = {
  sluice: 'main',
  'sluice/langchain': 'langchain',
  'sluice/llamaindex': 'llamaindex',
}

/** The examples of a page as programs, which import the sources instead of the package. */
async function examplesOf(page: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8')
  const examples = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
  return examples.map((code) =>
    code.replaceAll(
      /from '(sluice[^']*)'/g,
      (_, name: string) => `from '${join(ROOT, `src/library/${ENTRIES[name] ?? name}.ts`)}'`,
    ),
  )
}

test(
  'docs/guide/retrieval.md makes a folder retrievable in cited passages, and follows its changes',
  { timeout: 240_000 },
  async () => {
    await using folder = await tempFolder()
    const at = folder.path
    await mkdir(join(at, 'papers'))
    await cp(join(ROOT, 'samples/annual-report.pdf'), join(at, 'papers/annual-report.pdf'))
    const [program = ''] = await examplesOf('guide/retrieval.md')
    await writeFile(join(at, 'cookbook.ts'), program)
    const started = async () =>
      sluice([], { program: join(at, 'cookbook.ts'), cwd: at, env: { SLUICE_STATE_DIR: join(at, 'state') } })
    const first = await started()
    expect(first.code, first.stderr).toBe(0)
    expect(first.stdout).toContain('searched 1 documents\n')
    const cited =
      /^annual-report\.pdf, pages \[2\], boxes \[\{"page":2,"bbox":\[0\.[\d.,]+\]\}\]\n### 2\.1 What it cost\n\n\| Item/m
    expect(first.stdout).toMatch(cited)
    const [, link = ''] = /^### 2\.1 What it cost$.*?^open: (document\S+)$/ms.exec(first.stdout) ?? []
    const shown = await openedInViewer(at, link)
    expect(shown.page).toContain('Page 2 of')
    expect(shown.page.match(/class="cited box"/g)).toHaveLength(1)
    expect(shown.markdown).toMatch(/<mark id="cited">2\.1 What it cost/)
    const minutes = '# Minutes\n\nWhat the work at Gannet Lock cost: Gannet Lock, work, cost.\n'
    await writeFile(join(at, 'papers/minutes.md'), minutes)
    const second = await started()
    expect(second.stdout, second.stderr).toContain('searched 2 documents\n')
    expect(second.stdout).toContain(`minutes.md, pages [], boxes []\n${minutes.trim()}`)
  },
)

test('docs/guide/retrieval.md buys the context of each chunk once', { timeout: 240_000 }, async () => {
  await using folder = await tempFolder()
  const at = folder.path
  const env = { SLUICE_STATE_DIR: join(at, 'state') }
  await mkdir(join(at, 'papers'))
  for (const name of ['a', 'b']) await writeFile(join(at, `papers/${name}.md`), `# ${name}\n\nOne line of ${name}.\n`)
  expect((await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at, env })).code).toBe(0)
  const [, program = ''] = await examplesOf('guide/retrieval.md')
  await writeFile(join(at, 'contexts.ts'), program)
  await using model = await startChatService(({ number }) =>
    number === 1 ? { status: 429, headers: { 'retry-after': '1' } } : {},
  )
  const started = async () =>
    sluice([], { program: join(at, 'contexts.ts'), cwd: at, env: { ...env, MODEL_URL: model.url, MODEL_KEY: 'k' } })
  const first = await started()
  expect(first.code, first.stderr).toBe(0)
  const lines = parseLines<{ context: string; text: string }>(first.stdout)
  expect(lines.map(({ context, text }) => context !== '' && text.startsWith(context))).toEqual([true, true])
  expect(model.charged).toBe(2)
  expect((await started()).stdout).toBe(first.stdout)
  expect(model.charged).toBe(2)
})

test('docs/guide/retrieval.md filters chunks for pre-training', { timeout: 240_000 }, async () => {
  await using folder = await tempFolder()
  const at = folder.path
  const env = { SLUICE_STATE_DIR: join(at, 'state') }
  await mkdir(join(at, 'papers'))
  const sentence = 'The keeper of the lock has to count the boats, and he writes them into that book each evening.'
  await writeFile(
    join(at, 'papers/prose.md'),
    `${Array.from({ length: 5 }, (_, index) => `${index} ${sentence}`).join(' ')}\n`,
  )
  await writeFile(join(at, 'papers/list.md'), '- one\n- two\n- one\n- one\n')
  expect((await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at, env })).code).toBe(0)
  const [, , program = ''] = await examplesOf('guide/retrieval.md')
  await writeFile(join(at, 'filters.ts'), program)
  const { code, stdout, stderr } = await sluice([], { program: join(at, 'filters.ts'), cwd: at, env })
  expect(code, stderr).toBe(0)
  const verdicts = stdout
    .trim()
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 1))
  expect(verdicts.toSorted()).toEqual(['keep', 'too few words, list markers, stop words, repeated lines'])
})

/** The page of a link, and the Markdown in it. */
async function openedInViewer(at: string, link: string): Promise<{ readonly page: string; readonly markdown: string }> {
  const view = startSluice(['view', 'papers', '--out', 'corpus'], {
    cwd: at,
    env: { SLUICE_STATE_DIR: join(at, 'state') },
  })
  try {
    const address = await new Promise<string>((found, reject) => {
      view.child.stdout?.on('data', (text: string) => found(text.split('\n')[0] ?? ''))
      view.finished.then(({ stderr }) => reject(new Error(stderr)), reject)
    })
    const read = async (path: string): Promise<string> => (await fetch(new URL(path, address))).text()
    const page = await read(link)
    const frame = /id="markdown"[^>]*src="([^"]+)"/s.exec(page)?.[1] ?? ''
    return { page, markdown: await read(frame.replaceAll('&amp;', '&')) }
  } finally {
    view.child.kill('SIGTERM')
    await view.finished
  }
}

describe('docs/reference/library.md', { timeout: 240_000 }, () => {
  test('holds examples that work as written, one after the other', async () => {
    await using folder = await tempFolder()
    const at = folder.path
    await mkdir(join(at, 'papers'))
    await writeFile(join(at, 'papers/notes.md'), '# Notes\n\nOne line.\n')
    const examples = await examplesOf('reference/library.md')
    expect(examples).toHaveLength(4)
    for (const [index, code] of examples.entries()) await writeFile(join(at, `${index}.ts`), code)
    await writeFile(join(at, 'all.ts'), examples.map((_, index) => `await import('./${index}.ts')\n`).join(''))
    const env = { SLUICE_STATE_DIR: join(at, 'state') }
    const { code, stdout, stderr } = await sluice([], { program: join(at, 'all.ts'), cwd: at, env })
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('done notes.md')
    expect(stdout).toMatch(/notes\.md done 19/)
    expect(stdout).toContain("notes.md [ 'Notes' ]")
    expect(stdout.split('\n').filter((line) => /^2 (one|two)\.html (ONE|TWO)$/.test(line))).toHaveLength(2)
    expect(stdout).toContain('# Notes\n\nOne line. {')
    expect(stdout).toContain("source: 'notes.md'")
  })
})
