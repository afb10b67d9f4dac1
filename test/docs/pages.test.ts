import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { anchorsIn, commandsIn, pages, ROOT, wordsOf } from './pages.ts'

const PAGES = await pages()

/** Of the commands that pages show because they are wrong, those that the parser refuses; the others fail when they run. */
const SHOWN_AS_MISTAKES = ['./sluice rnu ~/papers', './sluice run ~/papers --output corpus']

test('every command of Sluice in the pages is one that its parser takes', async () => {
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
  const mistakes = SHOWN_AS_MISTAKES.map((command) => `docs/first-ten-minutes.md: ${command}`)
  expect(refused.toSorted()).toEqual(mistakes.toSorted())
})

test('every npm script and every test file that the pages name exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  const named = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/`[^`\n]*?npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => ({ path, script })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([])
  const files = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/\b((?:test|src|workers|config|bench)\/[\w./-]+\.(?:ts|yml|json))\b/g)].map(([, file = '']) => ({
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
