import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '#src/cli/commands.ts'
import { createProgram } from '#src/cli/program.ts'
import { anchorsIn, commandsIn, mistakesIn, type Page, pages, ROOT, wordsOf } from './pages.ts'

const PAGES = await pages()

/** Of the commands that pages show because they are wrong, those that the parser refuses; the others fail when they run. */
const SHOWN_AS_MISTAKES = ['./sluice rnu ~/papers', './sluice run ~/papers --output corpus']

test('every Sluice command in the docs is accepted by its parser', async () => {
  const program = await createProgram('all')
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined })
    if (command !== program) command.action(() => undefined)
  }
  const commands = PAGES.flatMap((page) => commandsIn(page).map((command) => ({ page: page.path, command })))
  expect(commands.length).toBeGreaterThan(50)
  const refused: string[] = []
  for (const { page, command } of commands) {
    await program.parseAsync(wordsOf(command), { from: 'user' }).catch((error: unknown) => {
      const isHelp = error instanceof Error && 'code' in error && error.code === 'commander.helpDisplayed'
      if (!isHelp) refused.push(`${page}: ${command}`)
    })
  }
  const mistakes = SHOWN_AS_MISTAKES.map((command) => `docs/guide/first-ten-minutes.md: ${command}`)
  expect(refused.toSorted()).toEqual(mistakes.toSorted())
})

test('no two commands of help, README and docs give one store to different sources', async () => {
  const shown = [...(await helpPages()), ...PAGES].flatMap((page) => {
    const mistakes = new Set(mistakesIn(page).map(({ command }) => command))
    return commandsIn(page)
      .filter((command) => !mistakes.has(command))
      .map((command) => ({ page: page.path, command }))
  })
  const sources = new Map<string, string>()
  const contradictions: string[] = []
  for (const { page, command } of shown) {
    const [name = '', ...words] = wordsOf(command)
    const out = words[words.indexOf('--out') + 1]
    const source = words.includes('--from-urls') ? words[words.indexOf('--from-urls') + 1] : words[0]
    const joins = words.some((word) => /^--(?:prefix|source-name|pipeline)$/.test(word))
    if (
      !/^(?:run|watch|work|plan)$/.test(name) ||
      source?.startsWith('--') !== false ||
      !words.includes('--out') ||
      joins
    )
      continue
    const first = sources.get(out ?? '') ?? source
    if (first !== source) contradictions.push(`${page}: ${command}: ${out} holds ${first}`)
    sources.set(out ?? '', first)
  }
  expect(sources.size).toBeGreaterThan(3)
  expect(contradictions).toEqual([])
})

/** The examples of help, as pages. */
async function helpPages(): Promise<Page[]> {
  const shown: Page[] = []
  for (const words of [[], ...COMMANDS.map(({ name }) => [name])]) {
    let text = ''
    const program = await createProgram(words)
    for (const each of [program, ...program.commands]) each.configureOutput({ writeOut: (part) => (text += part) })
    await program.parseAsync([...words, '--help'], { from: 'user' }).catch(() => undefined)
    const examples = text.replaceAll(/^ {2}\$ (.*?)sluice /gm, '$1./sluice ')
    shown.push({ path: `sluice ${words.join('')} --help`, text: `\`\`\`\n${examples}\`\`\`\n` })
  }
  return shown
}

test('every npm script and test file named in the docs exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  const named = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/`[^`\n]*?npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => ({ path, script })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([])
  const files = PAGES.flatMap(({ path, text }) =>
    [
      ...text.matchAll(
        /(?<![\w/])((?:packages\/\w+\/)?(?:test|src|workers|config|bench)\/[\w./-]+\.(?:ts|yml|json))\b/g,
      ),
    ].map(([, file = '']) => ({
      path,
      file,
    })),
  )
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([])
})

test('every link of a page leads to a file and a heading', () => {
  const links = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(([, target = '']) => ({ path, target })),
  )
  expect(links.length).toBeGreaterThan(50)
  const broken = links.filter(({ path, target }) => {
    const [file = '', anchor] = target.split('#')
    const to = file === '' ? path : normalize(join(dirname(path), file))
    if (!existsSync(join(ROOT, to))) return true
    const page = PAGES.find((other) => other.path === to)
    return anchor !== undefined && page !== undefined && !anchorsIn(page.text).has(anchor)
  })
  expect(broken).toEqual([])
})
